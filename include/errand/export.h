/* export.h - what leaves the library, and which version this is. */
#ifndef ERRAND_EXPORT_H
#define ERRAND_EXPORT_H

#define ERRAND_VERSION_MAJOR 0
#define ERRAND_VERSION_MINOR 1
#define ERRAND_VERSION_PATCH 0
#define ERRAND_VERSION       "0.1.0"

#if defined(__GNUC__) || defined(__clang__)
#define ERRAND_API     __attribute__((visibility("default")))
#define ERRAND_CHECKED __attribute__((warn_unused_result))
#else
#define ERRAND_API
#define ERRAND_CHECKED
#endif

#endif
