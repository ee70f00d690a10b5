await import("a");
