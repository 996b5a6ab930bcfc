// Headers for safetensors_test.cpp, apart from it since moc 6.4 does not follow raw strings.
#pragma once

struct BadHeader {
    const char* name;
    const char* header;
    int dataBytes;
    const char* message;
};
inline const BadHeader kBadHeaders[] = {
    {"no object", "[]", 0, "does not begin with {"},
    {"cut JSON", "{\"a\":", 0, "not valid JSON"},
    {"duplicate",
     R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
     1, "appears twice"},
    {"duplicate inside", R"({"a":{"dtype":"U8","dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 1,
     "appears twice"},
    {"deep", R"({"a":[[[[[[1]]]]]]})", 0, "nested"},
    {"type", R"({"a":{"dtype":"X9","shape":[1],"data_offsets":[0,1]}})", 1, "X9"},
    {"negative", R"({"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}})", 1, "a size"},
    {"float size", R"({"a":{"dtype":"U8","shape":[1.0],"data_offsets":[0,1]}})", 1, "a size"},
    {"overflow", R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}})", 0,
     "2^63"},
    {"bytes overflow",
     R"({"a":{"dtype":"F64","shape":[4611686018427387904],"data_offsets":[0,0]}})", 0, "2^64"},
    {"rank", R"({"a":{"dtype":"U8","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,1]}})", 1,
     "dimensions"},
    {"size mismatch", R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,3]}})", 3, "do not fit"},
    {"reversed", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,0]}})", 1, "do not fit"},
    {"hole", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})", 2, "expected 0"},
    {"overlap",
     R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
     3, "expected 2"},
    {"too short", R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", 1, "end at byte 2"},
    {"too long", R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", 3, "end at byte 2"},
    {"extra field", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"x":1}})", 1,
     "more than"},
    {"no offsets", R"({"a":{"dtype":"U8","shape":[1],"offsets":[0,1]}})", 1, "data_offsets"},
    {"metadata number", R"({"__metadata__":{"a":1}})", 0, "no text"},
    {"empty name", R"({"":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 1, "0 bytes"},
};

inline constexpr const char* kSmallHeader =
    R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"__metadata__":{"k":"v"}})";
inline constexpr const char* kOneByteTensor =
    R"(":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})";
inline constexpr const char* kDuplicateInside = R"({"a":1,"b":{"a":2,"a":3}})";
inline constexpr const char* kSameKeyElsewhere = R"({"a":{"a":1}})";
