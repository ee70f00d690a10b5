return "“a”​";
