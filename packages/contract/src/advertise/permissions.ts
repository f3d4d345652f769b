import type { CatalogueDirectory } from '../core/permissions.ts'

export const ADVERTISE_CATALOGUE: CatalogueDirectory = {
  url: '/advertiseManage',
  name: '广告管理',
  icon: 'notification',
  pages: [
    {
      url: '/advertiseManage/adList',
      name: '广告列表',
      icon: 'picture',
      prefix: 'advertiseManage:adList',
      records: ['ad'],
      actions: [
        'query',
        'add',
        'edit',
        'remove',
        ['upload', '上传素材'],
        ['submit', '提交审核'],
        ['audit', '审核'],
        'enable',
      ],
    },
    {
      url: '/advertiseManage/ProgramList',
      name: '节目单',
      icon: 'schedule',
      prefix: 'advertiseManage:ProgramList',
      records: ['adProgram', 'adScreen'],
      actions: [
        'query',
        'add',
        'edit',
        'remove',
        ['copy', '复制'],
        ['publish', '发布'],
        ['pause', '暂停'],
        ['withdraw', '撤回'],
        ['audit', '审批'],
        ['screen', '管理屏幕'],
      ],
      hidden: [
        { url: '/advertiseManage/ProgramList/add', name: '新增节目单' },
        { url: '/advertiseManage/ProgramList/edit/:id', name: '编辑节目单' },
        { url: '/advertiseManage/ProgramList/screens', name: '屏幕' },
      ],
    },
    {
      url: '/advertiseManage/statisticalAnalysis',
      name: '广告统计',
      icon: 'bar-chart',
      prefix: 'advertiseManage:statisticalAnalysis',
      actions: ['query', 'export'],
    },
  ],
}
