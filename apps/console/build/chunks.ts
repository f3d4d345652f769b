const antd = (names: string) => `antd/es/(?:${names})/`
const rc = (names: string) => `@rc-component/(?:${names})/`
const inPackages = (paths: readonly string[]) => new RegExp(`[\\\\/]node_modules[\\\\/](?:${paths.join('|')})`)

const src = (names: string) => new RegExp(`[\\\\/]console[\\\\/]src[\\\\/](?:${names})\\.tsx?$`)

const LIST = src(
  `kit/(?:search-form|data-table|filter|filter-date|export-button|row-actions|use-list|columns|page|time|batch-action|
  status-switch)`.replaceAll(/\s/g, ''),
)
/** Drawings that lists share with forms: left to a form's chunk, they would bring the form along. */
const LIST_ICONS = inPackages([
  '@ant-design/icons(?:-svg)?/es/(?:asn|icons)/(?:Plus|Import|Check|Copy|Up|Minus|CloseCircle)(?:Outlined|Filled)',
])

/**
 * What is always loaded together comes in one file; left alone it would be some fifty small ones, each a round trip of
 * its own on an old connection, and each compressed without knowing the others. A group takes what its modules import
 * along, unless a group above has it. Pages, and what only they use, split by route.
 */
export const GROUPS = [
  {
    name: 'react',
    test: inPackages(['react/', 'react-dom/', 'scheduler/', 'react-router/', '@tanstack/', 'cookie-es/']),
    priority: 9,
  },
  // Drawings and the helpers they stand on: the frame has some, long before antd is there.
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
  // Questions, notices and toasts: above the page, and after it.
  {
    name: 'overlays',
    test: inPackages([antd('modal|message|notification'), rc('notification|dialog')]),
    priority: 6.8,
  },
  // What opens beside something else: tables, forms and pickers all use it.
  {
    name: 'popups',
    test: inPackages([
      antd('tooltip|menu|dropdown|popover'),
      rc('trigger|resize-observer|overflow|menu|dropdown|tooltip'),
    ]),
    priority: 6.5,
  },
  // Asks for the permissions before anything else has arrived, so it must not wait for it.
  { name: 'boot', test: src('boot|early'), priority: 8 },
  { name: 'main', test: src('main'), priority: 6 },
  // The sidebar draws them on every page; lists share some, and must not come along for that.
  { name: 'menu-icons', test: src('kit/menu-icons-builtin'), priority: 5.5 },
  {
    name: 'list',
    test: new RegExp(`${LIST.source}|${LIST_ICONS.source}`),
    priority: 5,
  },
  { name: 'select', test: src('kit/full-select'), priority: 4 },
  { name: 'form', test: src('kit/(?:field|form-footer|use-form-modal)'), priority: 3 },
  { name: 'dates', test: src('kit/(?:date-range|field-date)'), priority: 2 },
]
