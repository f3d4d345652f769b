import { inbox, notices } from '@oms/contract/notice/notice.ts'
import { implement } from '#core/http/implement.ts'
import { mineList, read, readAll, unreadCount, view } from './inbox.service.ts'
import { get, list } from './notice-list.service.ts'
import { create, publish, remove, revoke, update } from './notice-save.service.ts'
import { audience, targets } from './notice-target.service.ts'
import { readUsers } from './read-users.service.ts'

export const noticeModule = implement(notices, {
  list,
  get,
  create,
  update,
  remove,
  publish,
  revoke,
  readUsers,
  targets,
  audience,
})

export const inboxModule = implement(inbox, { mine: mineList, view, unreadCount, read, readAll })
