import { inbox, notices } from '@oms/contract/system/notice.ts'
import { implement } from '#core/http/implement.ts'
import { listInbox, markNoticeRead, markAllNoticesRead, countUnreadNotices, readInboxNotice } from './inbox.ts'
import { getNotice, listNotices } from './notice-list.ts'
import { createNotice, publishDraft, removeNotice, revokeNotice, updateNotice } from './notice-save.ts'
import { countNoticeAudience, listNoticeTargets } from './notice-target.ts'
import { listNoticeReaders } from './read-users.ts'

export const noticeModule = implement(notices, {
  list: listNotices,
  get: getNotice,
  create: createNotice,
  update: updateNotice,
  remove: removeNotice,
  publish: publishDraft,
  revoke: revokeNotice,
  readUsers: listNoticeReaders,
  targets: listNoticeTargets,
  audience: countNoticeAudience,
})

export const inboxModule = implement(inbox, {
  mine: listInbox,
  view: readInboxNotice,
  unreadCount: countUnreadNotices,
  read: markNoticeRead,
  readAll: markAllNoticesRead,
})
