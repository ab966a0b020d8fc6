"""The kernels of ``raster`` for vertices of a body: posed, seen and lit."""

import warp as wp


@wp.func
def seen_at(p: wp.vec3, camera: wp.mat44, width: float, height: float):
    """Pixels right and down, and 1 / distance, which is 0 behind the eye."""
    clip = camera * wp.vec4(p[0], p[1], p[2], 1.0)
    if clip[3] <= 0.05:
        return wp.vec3(0.0, 0.0, 0.0)
    return wp.vec3((0.5 + 0.5 * clip[0] / clip[3]) * width, (0.5 - 0.5 * clip[1] / clip[3]) * height, 1.0 / clip[3])


@wp.kernel(enable_backward=False)
def _pose(
    vertices: wp.array(dtype=wp.vec3),
    normals: wp.array(dtype=wp.vec3),
    joints: wp.array(dtype=wp.int32),
    frames: wp.array3d(dtype=wp.float32),
    places: wp.array(dtype=wp.vec3),
    outward: wp.array(dtype=wp.vec3),
):
    for v in range(vertices.shape[0]):
        p = vertices[v]
        n = normals[v]
        j = joints[v]
        at = wp.vec3(0.0, 0.0, 0.0)
        out = wp.vec3(0.0, 0.0, 0.0)
        for k in range(3):
            at[k] = frames[j, k, 0] * p[0] + frames[j, k, 1] * p[1] + frames[j, k, 2] * p[2] + frames[j, k, 3]
            out[k] = frames[j, k, 0] * n[0] + frames[j, k, 1] * n[1] + frames[j, k, 2] * n[2]
        places[v] = at
        outward[v] = out


@wp.kernel(enable_backward=False)
def _see(places: wp.array(dtype=wp.vec3), camera: wp.mat44, width: float, height: float, seen: wp.array(dtype=wp.vec3)):
    for v in range(places.shape[0]):
        seen[v] = seen_at(places[v], camera, width, height)


@wp.kernel(enable_backward=False)
def _tone(
    places: wp.array(dtype=wp.vec3),
    normals: wp.array(dtype=wp.vec3),
    paint: wp.array(dtype=wp.vec3),
    eye: wp.vec3,
    light: wp.vec3,
    sun: wp.mat44,
    near: wp.array2d(dtype=wp.float32),
    colours: wp.array(dtype=wp.vec3),
):
    last = near.shape[0] - 4
    for v in range(places.shape[0]):
        p = places[v]
        n = normals[v]
        lit = float(1.0)
        if last > 0:
            q = p + 0.03 * n
            at = sun * wp.vec4(q[0], q[1], q[2], 1.0)
            x = wp.clamp(int(at[0]), 3, last)
            y = wp.clamp(int(at[1]), 3, last)
            lit = 0.0
            for i in range(-1, 2):
                for j in range(-1, 2):
                    if near[y + 3 * i, x + 3 * j] < at[2] + 0.012:
                        lit += 1.0 / 9.0
        e = wp.normalize(eye - p)
        h = wp.normalize(e + light)
        k = wp.max(wp.dot(n, light), 0.0) * (0.35 + 0.65 * lit)
        gloss = 0.10 * wp.pow(wp.max(wp.dot(n, h), 0.0), 40.0) * k
        rim = 1.0 - wp.clamp(wp.dot(n, e), 0.0, 1.0)
        bright = 255.0 * (gloss + 0.10 * rim * rim * rim)
        tone = paint[v] * (0.42 + 0.33 * (0.5 + 0.5 * n[2]) + 0.46 * k)
        for c in range(3):
            tone[c] = wp.clamp(tone[c] + bright, 0.0, 255.0)
        colours[v] = tone
