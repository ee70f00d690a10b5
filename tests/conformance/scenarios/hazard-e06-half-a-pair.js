console.log('😀'.slice(0, 1));
return ['a\ud83d', '😀'.slice(0, 1)];
