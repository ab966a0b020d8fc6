# A walker: each of its bodies is a child that follows it. Without a window it walks for four seconds, is pushed, falls,
# begins again where it lies, and says where it is.
extends Spatial

var native = GDNative.new()
var walker = -1
var frames = 0
var parts = []

func ask(name, given = []):
	return native.call_native("standard_varcall", "footfall_" + name, given)

func _ready():
	native.library = load("res://walker.gdnlib")
	if not native.initialize():
		push_error("libwalker.so does not load: build it as bridge.c says")
		get_tree().quit(1)
		return
	walker = ask("new")
	for body in range(ask("bodies")):
		var part = MeshInstance.new()
		part.mesh = CubeMesh.new()
		part.mesh.size = Vector3(0.12, 0.12, 0.12)
		parts.append(part)
		add_child(part)

# Godot has x right, y up, -z forward; footfall x forward, y left, z up.
func place(body):
	var at = []
	for k in range(7):
		at.append(ask("body", [walker, body, k]))
	return Transform(Basis(Quat(-at[5], at[6], -at[4], at[3])), Vector3(-at[1], at[2], -at[0]))

func _physics_process(delta):
	if walker < 0:
		return
	var status = ask("step", [walker, delta])
	for body in range(len(parts)):
		parts[body].transform = place(body)
	frames += 1
	if OS.has_feature("Server") and frames % 60 == 0:
		var root = parts[0].translation
		print(frames / 60, " s: ", "walks" if status == 0 else "fell", " at %.2f %.2f %.2f" % [root.x, root.y, root.z])
		if frames == 240:
			ask("push", [walker, 900.0, 0.0, 0.0, 0.3])
		if frames == 420:
			ask("start", [walker, -root.z, -root.x, 0.0])
		if frames == 600:
			get_tree().quit()
