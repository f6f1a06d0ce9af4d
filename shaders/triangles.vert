#version 330 core
// Dear ImGui's triangles: text, lines and boxes.
layout(location = 0) in vec2 a_position;  // px
layout(location = 1) in vec2 a_uv;
layout(location = 2) in vec4 a_color;
uniform vec2 u_to_clip;                   // px to clip space
uniform vec2 u_offset;
out vec2 v_uv;
out vec4 v_color;

void main() {
    v_uv = a_uv;
    v_color = a_color;
    gl_Position = vec4(a_position * u_to_clip + u_offset, 0.0, 1.0);
}
