const n: number = 1;
return (
  <ul>
    <li>{n}</li>
  </ul>
);
