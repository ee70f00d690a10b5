```js
return 1 +
```

or rather

```js
return 2;
```

```js
return 3;
```
