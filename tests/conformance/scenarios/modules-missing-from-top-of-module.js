const parts = await import('parts');
return parts.a;
