import { type CatalogueDirectory, permissionsOf } from './kernel/catalogue.ts'

/** The menu tree the product ships with, in sidebar order. Only screens that work are in it. */
export const CATALOGUE: readonly CatalogueDirectory[] = [
  {
    url: '/upgrade',
    name: '设备升级',
    icon: 'cloud-upload',
    pages: [
      {
        url: '/upgrade/ota',
        name: '设备固件',
        icon: 'hdd',
        prefix: 'upgrade:ota',
        actions: ['query', 'add', 'edit', 'remove', 'enable', ['uploadComp', '上传组件'], 'export'],
        hidden: [
          { url: '/AddOta', name: '新增固件' },
          { url: '/EditOta/:id', name: '编辑固件' },
        ],
      },
    ],
  },
  {
    url: '/system',
    name: '系统管理',
    icon: 'setting',
    pages: [
      {
        url: '/system/manager',
        name: '用户管理',
        icon: 'team',
        prefix: 'system:manager',
        actions: [
          'query',
          'add',
          'edit',
          'remove',
          'enable',
          ['resetPwd', '重置密码'],
          ['assignRole', '分配角色'],
          ['unlock', '解锁'],
          'import',
          'export',
          ['plain', '查看明文联系方式'],
        ],
      },
      {
        url: '/system/rolemanagement',
        name: '角色管理',
        icon: 'safety',
        prefix: 'system:rolemanagement',
        actions: [
          'query',
          'add',
          'edit',
          'remove',
          'enable',
          ['assignPerm', '分配权限'],
          ['assignUser', '分配用户'],
          ['dataScope', '数据范围'],
          ['copy', '复制'],
          'export',
        ],
      },
      {
        url: '/system/sceneManagement',
        name: '业务场景',
        icon: 'appstore',
        prefix: 'system:sceneManagement',
        actions: ['query', 'add', 'edit', 'remove', 'enable', ['sync', '同步']],
      },
      {
        url: '/system/operLog',
        name: '操作日志',
        icon: 'file-search',
        prefix: 'system:operLog',
        actions: ['query', 'export'],
      },
      {
        url: '/system/loginLog',
        name: '登录日志',
        icon: 'login',
        prefix: 'system:loginLog',
        actions: ['query', 'export', ['unlock', '解锁']],
      },
      {
        url: '/system/userList',
        name: '账号列表',
        icon: 'idcard',
        prefix: 'system:userList',
        actions: [
          'query',
          'enable',
          ['resetPwd', '重置密码'],
          ['unlock', '解锁'],
          'export',
          ['plain', '查看明文联系方式'],
        ],
        hidden: [{ url: '/userManage/index', name: '账号概况' }],
      },
      {
        url: '/system/noticeManage',
        name: '通知公告',
        icon: 'notification',
        prefix: 'system:noticeManage',
        actions: ['query', 'add', 'edit', 'remove', ['publish', '发布'], ['revoke', '撤回'], ['readUsers', '阅读情况']],
      },
      {
        url: '/system/systemPerm',
        name: '菜单管理',
        icon: 'menu',
        prefix: 'system:systemPerm',
        actions: ['query', 'add', 'edit', 'remove', ['sort', '排序'], ['lint', '检查']],
      },
      {
        url: '/system/systemDict',
        name: '字典管理',
        icon: 'book',
        prefix: 'system:systemDict',
        actions: ['query', 'add', 'edit', 'remove', ['refresh', '刷新缓存'], 'import', 'export'],
        hidden: [{ url: '/system/dict/data/index/:dictId', name: '字典数据' }],
      },
      {
        url: '/system/AboutUs',
        name: '关于我们',
        icon: 'info-circle',
        prefix: 'system:AboutUs',
        actions: ['query', 'edit'],
      },
    ],
  },
]

/** Permissions without a page of their own: a tab inside another page. */
export const EXTRA_PERMISSIONS: readonly { under: `/${string}`; perms: string; name: string }[] = [
  { under: '/system/loginLog', perms: 'system:online:list', name: '在线用户' },
  { under: '/system/loginLog', perms: 'system:online:forceLogout', name: '强制下线' },
]

/** Every permission string a call may ask for. */
export const ALL_PERMISSIONS: ReadonlySet<string> = new Set([
  ...CATALOGUE.flatMap(({ pages }) => pages.flatMap((page) => permissionsOf(page).map(({ perms }) => perms))),
  ...EXTRA_PERMISSIONS.map(({ perms }) => perms),
])
