"""Motion files: BVH, ASF/AMC, C3D, glTF, CSV and NPZ, in and out."""
