// The way in.
export default async function main() {
  return 42;
};
