const page = tools.never({ page: 1 });
return page.items.length;
