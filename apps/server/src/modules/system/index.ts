import { about } from '@oms/contract/system/about.ts'
import { brand } from '@oms/contract/system/brand.ts'
import { dictTypes } from '@oms/contract/system/dict-type.ts'
import { dictData } from '@oms/contract/system/dict.ts'
import { events } from '@oms/contract/system/events.ts'
import { files } from '@oms/contract/system/file.ts'
import { jobs } from '@oms/contract/system/job.ts'
import { logs } from '@oms/contract/system/log.ts'
import { menu } from '@oms/contract/system/menu.ts'
import { inbox, notices } from '@oms/contract/system/notice.ts'
import { implement, type Module } from '#core/http/implement.ts'
import type { Services } from '#core/services.ts'
import { listDependencies, getBuildFacts, updateAbout } from './about.ts'
import { getBrand, sendBrandImage, updateBrand } from './brand.ts'
import * as data from './dict-data.ts'
import * as types from './dict-type.ts'
import {
  abortUpload,
  beginUpload,
  downloadFile,
  finishUpload,
  putUploadPart,
  uploadFile,
  registerFileSweep,
} from './file.ts'
import { listInbox, markNoticeRead, markAllNoticesRead, countUnreadNotices, readInboxNotice } from './inbox.ts'
import { cancelJob, getJob, listJobs } from './job.ts'
import { streamEvents } from './live.ts'
import { exportLogins, listLogins, unlockAccount, endSession, endSessions, listOnlineSessions } from './login-log.ts'
import { getMenu, listMenus, createStandardButtons, createMenu, removeMenu, updateMenu, sortMenus } from './menu.ts'
import { countNoticeAudience, listNoticeTargets } from './notice-audience.ts'
import {
  getNotice,
  listNotices,
  createNotice,
  publishDraft,
  removeNotice,
  revokeNotice,
  updateNotice,
  registerNoticeSchedule,
} from './notice.ts'
import {
  exportOperationLog,
  listRecordHistory,
  getOperation,
  listOperations,
  registerLogRetention,
} from './oper-log.ts'
import { listNoticeReaders } from './read-users.ts'

const aboutModule = implement(about, {
  facts: getBuildFacts,
  dependencies: listDependencies,
  update: updateAbout,
})

const brandModule = implement(brand, { get: getBrand, update: updateBrand, image: sendBrandImage })

const dictDataModule = implement(dictData, {
  list: data.listEntries,
  get: data.getEntry,
  byType: data.listEntriesByType,
  create: data.createEntry,
  update: data.updateDictEntry,
  enable: data.enableEntry,
  disable: data.disableEntry,
  remove: data.removeDictEntry,
  export: data.exportEntries,
})

const dictTypeModule = implement(dictTypes, {
  list: types.listDictTypes,
  get: types.getType,
  optionselect: types.listTypeOptions,
  create: types.createType,
  update: types.updateType,
  enable: types.enableType,
  disable: types.disableType,
  remove: types.removeType,
  refreshCache: types.refreshCache,
  export: data.exportTypes,
})

const fileModule = implement(
  files,
  {
    upload: uploadFile,
    download: downloadFile,
    begin: beginUpload,
    putPart: putUploadPart,
    finish: finishUpload,
    abort: abortUpload,
  },
  // Outside a transaction, because transferring bytes can take minutes.
  { outsideTransaction: ['upload', 'begin', 'putPart', 'finish', 'abort'] },
)

const jobModule = implement(jobs, { list: listJobs, get: getJob, cancel: cancelJob })

const liveModule = implement(events, { stream: streamEvents })

const logModule = implement(logs, {
  operations: listOperations,
  operation: getOperation,
  exportOperationLog,
  history: listRecordHistory,
  logins: listLogins,
  exportLogins,
  unlock: unlockAccount,
  online: listOnlineSessions,
  forceOut: endSession,
  forceOutMany: endSessions,
})

const menuModule = implement(menu, {
  list: listMenus,
  get: getMenu,
  create: createMenu,
  update: updateMenu,
  sort: sortMenus,
  buttons: createStandardButtons,
  remove: removeMenu,
})

const noticeModule = implement(notices, {
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

const inboxModule = implement(inbox, {
  mine: listInbox,
  view: readInboxNotice,
  unreadCount: countUnreadNotices,
  read: markNoticeRead,
  readAll: markAllNoticesRead,
})

/** All calls of this module. */
export const systemModules: readonly Module[] = [
  aboutModule,
  brandModule,
  dictDataModule,
  dictTypeModule,
  fileModule,
  jobModule,
  liveModule,
  logModule,
  menuModule,
  noticeModule,
  inboxModule,
]

export function registerSystemJobs(services: Services) {
  registerFileSweep(services)
  registerNoticeSchedule(services)
  registerLogRetention(services)
}

// What later modules use.
export { sendMessage, isInInbox, countUnread } from './inbox.ts'
export { buildPublishableNoticeCondition } from './notice.ts'
