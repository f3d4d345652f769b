import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'

const antd = (names: string) => `antd/es/(?:${names})/`
const rc = (names: string) => `@rc-component/(?:${names})/`
const inPackages = (paths: readonly string[]) => new RegExp(`[\\\\/]node_modules[\\\\/](?:${paths.join('|')})`)

const SRC = join(import.meta.dirname, '../src')

/** Matches source files by path without extension. A path without a file fails, because its group would be empty. */
function src(...paths: readonly string[]) {
  const missing = paths.filter((path) => !['.ts', '.tsx'].some((ending) => existsSync(join(SRC, path + ending))))
  if (missing.length > 0) throw new Error(`chunk groups name files that do not exist: ${missing.join(', ')}`)
  return new RegExp(`[\\\\/]console[\\\\/]src[\\\\/](?:${paths.join('|')})\\.tsx?$`)
}

const LIST = src(
  'kit/list/search-form',
  'kit/list/filter',
  'kit/list/filter-date',
  'kit/list/export-button',
  'kit/list/row-actions',
  'kit/list/use-list',
  'kit/list/batch-action',
  'kit/list/status-switch',
  'kit/table/data-table',
  'kit/table/columns',
  // The pickers of filters and of forms use these; with the forms they would load the forms as well.
  'kit/pickers/use-shown-options',
  'kit/pickers/create-in-place',
  'kit/record/page',
  'kit/record/time',
)
/** Icons shared by lists and forms. Inside a form's chunk, lists would load the form as well. */
const LIST_ICONS = inPackages([
  '@ant-design/icons(?:-svg)?/es/(?:asn|icons)/(?:Plus|Import|Check|Copy|Up|Minus|CloseCircle|ClockCircle|Eye|EyeInvisible)(?:Outlined|Filled)',
])

const MONEY = /[\\/]contract[\\/]src[\\/]core[\\/]money\.ts$/

/**
 * Groups modules that always load together into one chunk. Otherwise they would be some fifty small files with a
 * request each and worse compression. A group includes the imports of its modules unless an earlier group has them.
 * Pages are split by route.
 */
export const GROUPS = [
  {
    name: 'react',
    test: inPackages(['react/', 'react-dom/', 'scheduler/', 'react-router/', '@tanstack/', 'cookie-es/']),
    priority: 9,
  },
  // Icons and their helpers: the layout uses some of them long before antd loads.
  {
    name: 'icons',
    test: inPackages([
      '@ant-design/icons/es/(?:components|utils|_util|.*Utils)',
      '@ant-design/icons(?:-svg)?/es/(?:asn|icons)/(?:(?:Check|Exclamation|Close|Info)CircleFilled|(?:Loading|Close|Search|Down)Outlined)',
      'clsx/',
      rc('util'),
    ]),
    priority: 7.5,
  },
  {
    name: 'antd',
    test: inPackages([
      '@ant-design/(?:colors|fast-color)/',
      '@babel/runtime/',
      'is-mobile/',
      antd('theme|_util|config-provider|button|style|space|skeleton|locale|grid'),
      'antd/es/(?:modal|notification|message|form)/(?:locale|context|validateMessagesContext)\\.js',
      rc('motion|portal|context'),
    ]),
    priority: 7,
  },
  // Dialogs, notifications and toasts load after the page.
  {
    name: 'overlays',
    test: inPackages([antd('modal|message|notification'), rc('notification|dialog')]),
    priority: 6.8,
  },
  // Overlay components that tables, forms and pickers share.
  {
    name: 'popups',
    test: inPackages([
      antd('tooltip|menu|dropdown|popover'),
      rc('trigger|resize-observer|overflow|menu|dropdown|tooltip'),
    ]),
    priority: 6.5,
  },
  // Requests the permissions before other code loads, so it must not wait for another chunk.
  { name: 'boot', test: src('boot', 'early'), priority: 8 },
  // Small functions that pages of all kinds use are inside `main`. Inside a large chunk, each would load all of it.
  {
    name: 'main',
    test: new RegExp(`${src('main', 'kit/form/form-values').source}|${MONEY.source}`),
    priority: 6,
  },
  // The sidebar uses these icons on every page; a shared list chunk must not load with them.
  { name: 'menu-icons', test: src('kit/pickers/menu-icons-builtin'), priority: 5.5 },
  {
    name: 'list',
    test: new RegExp(`${LIST.source}|${LIST_ICONS.source}`),
    priority: 5,
  },
  // Charts load after the figures of a page.
  { name: 'charts', test: inPackages(['echarts/', 'zrender/', 'echarts/node_modules/tslib/']), priority: 4.5 },
  { name: 'select', test: src('kit/form/full-select'), priority: 4 },
  { name: 'form', test: src('kit/form/field', 'kit/form/form-footer', 'kit/form/use-form-modal'), priority: 3 },
  { name: 'dates', test: src('kit/list/date-range', 'kit/form/field-date'), priority: 2 },
]

/** Fails the build when a group matches no module: after an update of a library its paths may have changed. */
export function groupsMatched(): Plugin {
  return {
    name: 'groups-matched',
    apply: 'build',
    buildEnd(error) {
      if (error) return
      const ids = [...this.getModuleIds()]
      const empty = GROUPS.filter(({ test }) => !ids.some((id) => test.test(id))).map(({ name }) => name)
      if (empty.length > 0) this.error(`chunk groups that match no module: ${empty.join(', ')}`)
    },
  }
}
