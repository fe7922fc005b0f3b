export default { cacheDir: "./loaded" };
