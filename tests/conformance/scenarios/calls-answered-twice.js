return tools.twice();
