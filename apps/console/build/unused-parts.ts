import { join } from 'node:path'
import type { Plugin } from 'vite'

const SMALL_VALIDATOR = join(import.meta.dirname, '../src/kernel/small-validator.ts')
const SCROLLBAR_SIZE = join(import.meta.dirname, '../src/kernel/scrollbar-size.ts')
const NOTHING = 'export default () => null'
/** Of a tree a table of ticked rows needs its sums alone, not the tree that is drawn, nor the list it scrolls in. */
const TREE_SUMS = `export { conductCheck } from '@rc-component/tree/es/utils/conductUtil'
export { convertDataToEntities } from '@rc-component/tree/es/utils/treeUtil'
export const arrAdd = (keys, key) => (keys.includes(key) ? [...keys] : [...keys, key])
export const arrDel = (keys, key) => (keys ?? []).filter((each) => each !== key)`

/** Of whole libraries, what one file of them imports but this console never shows, or not at once. */
const PARTS: readonly { from: RegExp; source: string; code: string }[] = [
  // Lists filter through their search form: no menu in a table's header, and none of the tree inside it.
  {
    from: /antd[\\/]es[\\/]table[\\/]hooks[\\/]useFilter[\\/]index\.js$/,
    source: './FilterDropdown',
    code: `${NOTHING}\nexport const flattenKeys = () => []`,
  },
  // Lists have a pager of their own, and rows are ticked, not picked.
  { from: /antd[\\/]es[\\/]table[\\/]InternalTable\.js$/, source: '../pagination', code: NOTHING },
  { from: /antd[\\/]es[\\/]table[\\/]hooks[\\/]useSelection\.js$/, source: '../../radio', code: NOTHING },
  { from: /antd[\\/]es[\\/]table[\\/]hooks[\\/]useSelection\.js$/, source: '@rc-component/tree', code: TREE_SUMS },
  // The foundations, which come first, need of forms only where a field stands, and of tool tips nothing.
  {
    from: /antd[\\/]es[\\/]form[\\/]context\.js$/,
    source: '@rc-component/form',
    code: 'export const FormProvider = ({ children }) => children',
  },
  { from: /antd[\\/]es[\\/]config-provider[\\/]index\.js$/, source: '../tooltip/UniqueProvider', code: NOTHING },
  // No drawing here has two tones, so none is mixed.
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
  // The few lists of more than a page's rows wait a moment for the table that draws only those in sight.
  {
    from: /antd[\\/]es[\\/]table[\\/]InternalTable\.js$/,
    source: './RcTable/VirtualTable',
    code: "import { lazy } from 'react'\nexport default lazy(() => import('antd/es/table/RcTable/VirtualTable'))",
  },
]
const ID = '\0unused-part:'

/** Leaves out of the bundle what the libraries bring along and no screen uses. */
export function unusedParts(): Plugin {
  return {
    name: 'unused-parts',
    apply: 'build',
    enforce: 'pre',
    resolveId(source, importer = '') {
      if (source === '@rc-component/async-validator') return SMALL_VALIDATOR
      if (source === './getScrollBarSize' && /@rc-component[\\/]util[\\/]/.test(importer)) return SCROLLBAR_SIZE
      const part = PARTS.findIndex((each) => each.source === source && each.from.test(importer))
      return part < 0 ? undefined : `${ID}${part}`
    },
    load: (id) => (id.startsWith(ID) ? PARTS[Number(id.slice(ID.length))]?.code : undefined),
  }
}
