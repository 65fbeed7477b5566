// Stands in for a package that is not in the bundle: whoever touches it hears so.
module.exports = new Proxy(
  {},
  {
    get(_, name) {
      throw new Error(`${String(name)} was left out of this bundle: see scripts/build.mjs`)
    },
  },
)
