export default async () => 42;
