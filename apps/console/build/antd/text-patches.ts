import type { Plugin } from 'vite'

/** Replacement of a text that must occur exactly once in a file. `file` matches the path of the module. */
export interface TextPatch {
  readonly file: RegExp
  readonly from: string
  readonly to: string
}

/**
 * Returns a plugin that replaces texts of installed packages. Fails when a text does not occur exactly once in its file,
 * and when a build does not contain a file of a patch.
 */
export function textPatches(name: string, patches: readonly TextPatch[]): Plugin {
  const applied = new Set<TextPatch>()
  let isBuild = false
  return {
    name,
    configResolved({ command }) {
      isBuild = command === 'build'
    },
    transform: {
      filter: { id: [...new Set(patches.map(({ file }) => file))] },
      handler(code, id) {
        let result = code
        for (const patch of patches.filter(({ file }) => file.test(id))) {
          if (result.split(patch.from).length !== 2) this.error(`${patch.from} is not found once in ${id} any more`)
          result = result.replace(patch.from, () => patch.to)
          applied.add(patch)
        }
        return { code: result, map: null }
      },
    },
    buildEnd(error) {
      const missing = patches.filter((patch) => !applied.has(patch))
      if (isBuild && !error && missing.length > 0)
        this.error(`${name} finds no module for ${missing.map(({ file }) => file).join(', ')}`)
    },
  }
}
