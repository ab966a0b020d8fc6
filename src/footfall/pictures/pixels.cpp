// Loops over pixels: the bodies of the kernels in raster.py, each a part that begins with its name. A triangle's share of
// them stands in two parts of its own, SPAN and ROW, where their names are written.

//== SPAN: corners of triangle t, twice its signed area, the pixels around it; how the share of each corner grows along a row
// and how many pixels further on it is 0 for each share that it has
    const wp::vec3 a = places.data[corners.data[3 * t]];
    const wp::vec3 b = places.data[corners.data[3 * t + 1]];
    const wp::vec3 c = places.data[corners.data[3 * t + 2]];
    const float area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    const float low_y = wp::min(wp::min(a[1], b[1]), c[1]), high_y = wp::max(wp::max(a[1], b[1]), c[1]);
    const float low_x = wp::min(wp::min(a[0], b[0]), c[0]), high_x = wp::max(wp::max(a[0], b[0]), c[0]);
    if (high_y < 0.5f || high_x < 0.5f || low_y > last_y || low_x > last_x) continue;
    const int top = (int)(wp::max(low_y, 0.0f) + 0.5f), bottom = (int)(wp::min(high_y, last_y) - 0.5f);
    const int left = (int)(wp::max(low_x, 0.0f) + 0.5f), right = (int)(wp::min(high_x, last_x) - 0.5f);
    const float scale = 1.0f / area, x0 = (float)(left) + 0.5f;
    const float slopes[3] = {(b[1] - c[1]) * scale, (c[1] - a[1]) * scale, (a[1] - b[1]) * scale};
    float reach[3];
    for (int k = 0; k < 3; ++k) reach[k] = slopes[k] != 0.0f ? -1.0f / slopes[k] : 0.0f;

//== ROW: where along a row the three shares are at least 0: the pixels from left + first to left + last
        const float y = (float)(row) + 0.5f;
        const float u = ((c[0] - b[0]) * (y - b[1]) - (c[1] - b[1]) * (x0 - b[0])) * scale;
        const float v = ((a[0] - c[0]) * (y - c[1]) - (a[1] - c[1]) * (x0 - c[0])) * scale;
        const float shares[3] = {u, v, 1.0f - u - v}, wide = (float)(right - left);
        float begin = 0.0f, end = wide;
        for (int k = 0; k < 3; ++k) {
            const float zero = shares[k] * reach[k];
            if (slopes[k] > 0.0f) begin = wp::max(begin, zero - 1.0e-4f);
            else if (slopes[k] < 0.0f) end = wp::min(end, zero + 1.0e-4f);
            else if (shares[k] < 0.0f) end = -1.0f;
        }
        if (begin > end) continue;
        int first = (int)(begin), last = (int)(end);
        first += (float)(first) < begin ? 1 : 0;

//== fill_triangles
const int height = (int)(image.shape[0]), width = (int)(image.shape[1]), count = (int)(corners.shape[0]);
const float last_y = (float)(height) - 0.5f, last_x = (float)(width) - 0.5f;
wp::uint8* pixels = image.data;
float* nearest = depth.data;
for (int t = 0; t < count; ++t) {
    SPAN
    if (a[2] <= 0.0f || b[2] <= 0.0f || c[2] <= 0.0f) continue;
    if ((area >= 0.0f && !two_sided) || wp::abs(area) < 1.0e-6f) continue;
    const wp::vec3 ca = colours.data[corners.data[3 * t]];
    const wp::vec3 cb = colours.data[corners.data[3 * t + 1]];
    const wp::vec3 cc = colours.data[corners.data[3 * t + 2]];
    const float dz = a[2] * slopes[0] + b[2] * slopes[1] + c[2] * slopes[2];
    const wp::vec3 dtone = ca * slopes[0] + cb * slopes[1] + cc * slopes[2];
    for (int row = top; row <= bottom; ++row) {
        ROW
        const float z0 = a[2] * shares[0] + b[2] * shares[1] + c[2] * shares[2];
        const wp::vec3 tone = ca * shares[0] + cb * shares[1] + cc * shares[2];
        float* line = nearest + row * width + left;
        wp::uint8* pixel = pixels + 3 * (row * width + left);
        for (int along = first; along <= last; ++along) {
            const float on = (float)(along), z = z0 + on * dz;
            if (z > line[along]) {
                line[along] = z;
                for (int k = 0; k < 3; ++k) {
                    const float bright = tone[k] + on * dtone[k];
                    pixel[3 * along + k] = wp::uint8((int)(bright < 0.0f ? 0.0f : bright > 255.0f ? 255.0f : bright));
                }
            }
        }
    }
}

//== fill_depth
const int height = (int)(depth.shape[0]), width = (int)(depth.shape[1]), count = (int)(corners.shape[0]);
const float last_y = (float)(height) - 0.5f, last_x = (float)(width) - 0.5f;
float* nearest = depth.data;
for (int t = 0; t < count; ++t) {
    SPAN
    if (area > -1.0e-6f) continue;
    const float dz = mask ? 0.0f : a[2] * slopes[0] + b[2] * slopes[1] + c[2] * slopes[2];
    for (int row = top; row <= bottom; ++row) {
        ROW
        const float z0 = mask ? 1.0f : a[2] * shares[0] + b[2] * shares[1] + c[2] * shares[2];
        float* line = nearest + row * width + left;
        for (int along = first; along <= last; ++along) line[along] = wp::max(line[along], z0 + (float)(along) * dz);
    }
}

//== draw_lines
const int height = (int)(image.shape[0]), width = (int)(image.shape[1]), count = (int)(starts.shape[0]);
wp::uint8* pixels = image.data;
const float* nearest = depth.data;
const int ink[3] = {(int)(colour[0]), (int)(colour[1]), (int)(colour[2])};
for (int s = 0; s < count; ++s) {
    const wp::vec3 a = starts.data[s], b = ends.data[s], d = b - a;
    const float strong = strength.data[2 * s], weak = strength.data[2 * s + 1];
    const bool steep = wp::abs(d[1]) > wp::abs(d[0]);
    const float span = wp::max(wp::abs(d[0]), wp::abs(d[1]));
    if (a[2] <= 0.0f || b[2] <= 0.0f || span < 1.0e-3f) continue;
    const float reach = half * wp::sqrt(d[0] * d[0] + d[1] * d[1]) / span;
    const int main = steep ? 1 : 0, limit = steep ? height : width, other = steep ? width : height;
    int first = wp::max((int)(wp::ceil(wp::min(a[main], b[main]) - 0.5f)), 0);
    int last = wp::min((int)(wp::ceil(wp::max(a[main], b[main]) - 0.5f)), limit);
    // only where it lies inside the picture across its main direction, too
    const float slope = d[1 - main] / d[main], beyond = (float)(other) + reach + 1.0f;
    if (wp::abs(slope) > 1.0e-6f) {
        const float one = a[main] + (-reach - 1.0f - a[1 - main]) / slope;
        const float two = a[main] + (beyond - a[1 - main]) / slope;
        first = wp::max(first, (int)(wp::max(wp::min(one, two), 0.0f)) - 1);
        last = wp::min(last, (int)(wp::min(wp::max(one, two), (float)(limit))) + 1);
    }
    first = wp::max(first, 0);
    const float step = 1.0f / d[main];
    for (int i = first; i < last; ++i) {
        const float share = ((float)(i) + 0.5f - a[main]) * step;
        const float across = a[1 - main] + share * d[1 - main], z = (a[2] + share * d[2]) * slack;
        const float near = strong * (1.0f - share) + weak * share;
        if (near < 0.012f || across + reach < 0.0f || across - reach >= (float)(other)) continue;
        const int low = (int)(wp::max(across - reach, 0.0f));
        const int high = wp::min((int)(across + reach) + 1, other);
        for (int j = low; j < high; ++j) {
            const float cover = wp::clamp(reach + 0.5f - wp::abs((float)(j) + 0.5f - across), 0.0f, 1.0f) * near;
            const int at = steep ? i * width + j : j * width + i;
            if (cover < 0.012f || z < nearest[at]) continue;
            const int mix = (int)(65536.0f * cover);
            wp::uint8* pixel = pixels + 3 * at;
            for (int k = 0; k < 3; ++k) pixel[k] = wp::uint8(pixel[k] + ((mix * (ink[k] - pixel[k])) >> 16));
        }
    }
}

//== compose
const int height = (int)(image.shape[0]), width = (int)(image.shape[1]);
const int rows = (int)(tile.shape[0]) / 2, columns = (int)(tile.shape[1]) / 2;
const bool hidden = depth.shape[0] > 0;
wp::uint8* pixels = image.data;
const wp::uint8* fine = tile.data;
const float* close = tile_depth.data;
for (int row = 0; row < rows; ++row) {
    const int y = top + row;
    if (y < 0 || y >= height) continue;
    for (int column = wp::max(0, -left); column < wp::min(columns, width - left); ++column) {
        const int corner = 4 * row * columns + 2 * column, at = y * width + left + column;
        const int four[4] = {corner, corner + 1, corner + 2 * columns, corner + 2 * columns + 1};
        if (wp::max(wp::max(close[four[0]], close[four[1]]), wp::max(close[four[2]], close[four[3]])) <= 0.0f) continue;
        const float behind = hidden ? depth.data[at] : 0.0f;
        int sum[3] = {0, 0, 0}, count = 0;
        for (int k = 0; k < 4; ++k) {
            const float near = close[four[k]];
            if (near > 0.0f && near * slack > behind) {
                for (int n = 0; n < 3; ++n) sum[n] += fine[3 * four[k] + n];
                count += 1;
            }
        }
        for (int n = 0; count > 0 && n < 3; ++n)
            pixels[3 * at + n] = wp::uint8((sum[n] + (4 - count) * (int)(pixels[3 * at + n])) / 4);
    }
}

//== darken
const int height = (int)(image.shape[0]), width = (int)(image.shape[1]);
const int rows = 2 * (int)(mask.shape[0]), columns = 2 * (int)(mask.shape[1]);
wp::uint8* pixels = image.data;
for (int row = 0; row < rows && top + row < height; ++row) {
    const wp::uint8* dark = mask.data + (row / 2) * (columns / 2);
    for (int column = 0; column < columns && left + column < width; ++column) {
        if (dark[column / 2] == 0) continue;
        const float light = 1.0f - share * (float)(dark[column / 2]) / 255.0f;
        wp::uint8* pixel = pixels + 3 * ((top + row) * width + left + column);
        for (int k = 0; k < 3; ++k) pixel[k] = wp::uint8(light * (float)(pixel[k]));
    }
}

//== video
const int height = (int)(image.shape[0]), width = (int)(image.shape[1]), half = width / 2;
for (int row = 0; row < height; ++row) {
    const wp::uint8* p = image.data + 3 * row * width;
    wp::uint8* out = luma.data + row * width;
    for (int x = 0; x < width; ++x)
        out[x] = wp::uint8((11966 * p[3 * x] + 40254 * p[3 * x + 1] + 4064 * p[3 * x + 2] + 1081344) >> 16);
}
for (int row = 0; row < height / 2; ++row) {
    const wp::uint8* p = image.data + 6 * row * width;
    const wp::uint8* n = p + 3 * width;
    wp::uint8* blue = chroma.data + row * half;
    wp::uint8* red = blue + (height / 2) * half;
    for (int x = 0; x < half; ++x) {
        const int r = p[6 * x] + p[6 * x + 3] + n[6 * x] + n[6 * x + 3];
        const int g = p[6 * x + 1] + p[6 * x + 4] + n[6 * x + 1] + n[6 * x + 4];
        const int b = p[6 * x + 2] + p[6 * x + 5] + n[6 * x + 2] + n[6 * x + 5];
        blue[x] = wp::uint8((-6596 * r - 22189 * g + 28784 * b + 33685504) >> 18);
        red[x] = wp::uint8((28784 * r - 26145 * g - 2639 * b + 33685504) >> 18);
    }
}
