const a: number = 1;
return <div class="x">{a}</div>;
