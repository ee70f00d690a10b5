const load = async () => (await import('left-pad')).default;
return (await load())('a', 3);
