import { load } from 'parts';
return await load();
