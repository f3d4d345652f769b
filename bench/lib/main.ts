/** Returns whether this file was started directly instead of by `bench/run.ts`. */
export const isMain = (meta: ImportMeta) => process.argv[1] === meta.filename
