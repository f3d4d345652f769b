import type { Release } from '@oms/contract/about/about.ts'
import type * as z from 'zod'

/** Release notes for users, newest first. Each release adds its entry here. */
export const RELEASES: readonly z.output<typeof Release>[] = [
  {
    version: '0.1.0',
    date: '2026-11-20',
    changes: [
      '账号、角色、业务场景与菜单权限，权限变更即时生效',
      '设备固件版本：断点续传 300 MB 组件，启用前重新校验内容',
      '通知公告：定向发送、定时发布、撤回与阅读回执',
      '数据字典：修改后所有已打开页面即时更新',
      '操作日志、登录日志、在线用户与强制下线',
      '内置数据库与备份恢复，开箱即用',
    ],
  },
]
