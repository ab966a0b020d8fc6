// A walker in Unity: put it on an object; each body of the walker becomes a child that follows it.
//
//   footfall export walk-3d --out walker.c --with-physics
//   cc -std=c99 -O2 -shared -fPIC walker.c -lm -o libwalker.so     (walker.dll, libwalker.dylib) into Assets/Plugins
using System;
using System.Runtime.InteropServices;

public static class FootfallLibrary
{
    const string Library = "walker";
    [DllImport(Library)] public static extern int walker_start(IntPtr walker, string gait, double x, double y, double heading);
    [DllImport(Library)] public static extern int walker_step(IntPtr walker, int steps);
    [DllImport(Library)] public static extern int walker_status(IntPtr walker);
    [DllImport(Library)] public static extern void walker_body(IntPtr walker, int body, double[] position, double[] quaternion);
    [DllImport(Library)] public static extern int walker_contact(IntPtr walker, int point);
    [DllImport(Library)] public static extern int walker_push(IntPtr walker, int body, double[] force, double seconds);
    [DllImport(Library)] public static extern int walker_set(IntPtr walker, string path, double value);
    [DllImport(Library)] public static extern int walker_request(IntPtr walker, string gait);
    [DllImport(Library)] public static extern UIntPtr walker_size();
}

// One walker: its memory, from start to Dispose.
public sealed class FootfallInstance : IDisposable
{
    public readonly IntPtr Memory;
    readonly double[] position = new double[3], quaternion = new double[4];

    public FootfallInstance()
    {
        int size = (int)FootfallLibrary.walker_size();
        Memory = Marshal.AllocHGlobal(size);
        Marshal.Copy(new byte[size], 0, Memory, size);
        FootfallLibrary.walker_start(Memory, null, 0, 0, 0);
    }

    public int Step(int steps) { return FootfallLibrary.walker_step(Memory, steps); }

    // Unity has y up and z forward, with a left hand: x right = -y, y up = z, z forward = x.
    public void Body(int body, float[] place, float[] turn)
    {
        FootfallLibrary.walker_body(Memory, body, position, quaternion);
        place[0] = -(float)position[1]; place[1] = (float)position[2]; place[2] = (float)position[0];
        turn[0] = (float)quaternion[2]; turn[1] = -(float)quaternion[3]; turn[2] = -(float)quaternion[1]; turn[3] = (float)quaternion[0];
    }

    public void Dispose() { Marshal.FreeHGlobal(Memory); }
}

#if UNITY_5_3_OR_NEWER
// Named as this file, which Unity asks for.
public class FootfallWalker : UnityEngine.MonoBehaviour
{
    public int bodies = 15;
    FootfallInstance walker;
    UnityEngine.Transform[] parts;
    readonly float[] place = new float[3], turn = new float[4];

    void Start()
    {
        walker = new FootfallInstance();
        parts = new UnityEngine.Transform[bodies];
        for (int i = 0; i < bodies; ++i) { parts[i] = new UnityEngine.GameObject("body " + i).transform; parts[i].SetParent(transform, false); }
    }

    void FixedUpdate()
    {
        walker.Step((int)Math.Round(UnityEngine.Time.fixedDeltaTime / 0.001));
        for (int i = 0; i < bodies; ++i)
        {
            walker.Body(i, place, turn);
            parts[i].localPosition = new UnityEngine.Vector3(place[0], place[1], place[2]);
            parts[i].localRotation = new UnityEngine.Quaternion(turn[0], turn[1], turn[2], turn[3]);
        }
    }

    void OnDestroy() { walker.Dispose(); }
}
#else
public static class Program
{
    public static void Main()
    {
        using (var walker = new FootfallInstance())
        {
            int status = walker.Step(5000);
            float[] place = new float[3], turn = new float[4];
            walker.Body(0, place, turn);
            Console.WriteLine(FormattableString.Invariant($"{status} {place[0]:F6} {place[1]:F6} {place[2]:F6}"));
        }
    }
}
#endif
