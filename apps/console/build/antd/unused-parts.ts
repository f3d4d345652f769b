import { join } from 'node:path'
import type { Plugin } from 'vite'

const SCROLLBAR_SIZE = join(import.meta.dirname, '../../src/kit/antd/scrollbar-size.ts')
const NOTHING = 'export default () => null'
/** A table with selectable rows needs only the selection logic of the tree library, not its tree and virtual list. */
const TREE_SUMS = `export { conductCheck } from '@rc-component/tree/es/utils/conductUtil'
export { convertDataToEntities } from '@rc-component/tree/es/utils/treeUtil'
export const arrAdd = (keys, key) => (keys.includes(key) ? [...keys] : [...keys, key])
export const arrDel = (keys, key) => (keys ?? []).filter((each) => each !== key)`

/** Library files that other libraries import but the console never shows, or loads later. */
const PARTS: readonly { from: RegExp; source: string; code: string }[] = [
  // Lists use their search form, so the filter menu in table headers and its tree are unused.
  {
    from: /antd[\\/]es[\\/]table[\\/]hooks[\\/]useFilter[\\/]index\.js$/,
    source: './FilterDropdown',
    code: `${NOTHING}\nexport const flattenKeys = () => []`,
  },
  // Lists use their own pager, and rows have no radio selection.
  { from: /antd[\\/]es[\\/]table[\\/]InternalTable\.js$/, source: '../pagination', code: NOTHING },
  { from: /antd[\\/]es[\\/]table[\\/]hooks[\\/]useSelection\.js$/, source: '../../radio', code: NOTHING },
  { from: /antd[\\/]es[\\/]table[\\/]hooks[\\/]useSelection\.js$/, source: '@rc-component/tree', code: TREE_SUMS },
  // antd's base code, loaded first, needs only the form context of forms, and nothing of tooltips.
  {
    from: /antd[\\/]es[\\/]form[\\/]context\.js$/,
    source: '@rc-component/form',
    code: 'export const FormProvider = ({ children }) => children',
  },
  { from: /antd[\\/]es[\\/]config-provider[\\/]index\.js$/, source: '../tooltip/UniqueProvider', code: NOTHING },
  // No icon has two tones, so the colour generator is unused.
  {
    from: /@ant-design[\\/]icons[\\/]es[\\/]colorUtils\.js$/,
    source: '@ant-design/colors/es/generate',
    code: 'export default () => []',
  },
  {
    from: /@ant-design[\\/]icons[\\/]es[\\/]colorUtils\.js$/,
    source: '@ant-design/colors',
    code: 'export const blue = {}',
  },
  // Lists with more rows than a page load the virtual table on demand.
  {
    from: /antd[\\/]es[\\/]table[\\/]InternalTable\.js$/,
    source: './RcTable/VirtualTable',
    code: "import { lazy } from 'react'\nexport default lazy(() => import('antd/es/table/RcTable/VirtualTable'))",
  },
]
const ID = '\0unused-part:'

function replacementOf(source: string, importer: string) {
  if (source === './getScrollBarSize' && /@rc-component[\\/]util[\\/]/.test(importer)) return SCROLLBAR_SIZE
  const part = PARTS.findIndex((each) => each.source === source && each.from.test(importer))
  return part < 0 ? undefined : `${ID}${part}`
}

/** All replacements of the plugin. The test fails for an entry that matches no import. */
const ALL = [SCROLLBAR_SIZE, ...PARTS.map((_, at) => `${ID}${at}`)]
const nameOf = (replacement: string) => {
  const { from, source } = PARTS[Number(replacement.slice(ID.length))] ?? {}
  return source ? `${source} in ${from}` : replacement
}

/** Removes unused library code from the bundle. */
export function unusedParts(): Plugin {
  const matched = new Set<string>()
  return {
    name: 'unused-parts',
    apply: 'build',
    enforce: 'pre',
    resolveId(source, importer = '') {
      const replacement = replacementOf(source, importer)
      if (replacement) matched.add(replacement)
      return replacement
    },
    buildEnd(error) {
      const missing = ALL.filter((each) => !matched.has(each)).map(nameOf)
      if (!error && missing.length > 0) this.error(`replaced parts that nothing imports: ${missing.join(', ')}`)
    },
    load: (id) => (id.startsWith(ID) ? PARTS[Number(id.slice(ID.length))]?.code : undefined),
  }
}
