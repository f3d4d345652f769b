import { ads as adCalls } from '@oms/contract/advertise/ad.ts'
import { programPublish } from '@oms/contract/advertise/program-publish.ts'
import { buildAwaitingAdAuditCondition, buildAwaitingProgramAuditCondition } from '#modules/advertise/scope.ts'
import { adPrograms, ads } from '#modules/advertise/schema.ts'
import type { Todo } from './todos.ts'

/** Ads and programs that wait for a decision of the account. */
export const AD_TODOS: readonly Todo[] = [
  {
    key: 'adAudits',
    title: '待审核广告',
    url: '/advertiseManage/adList?todo=1',
    calls: [adCalls.audit],
    count: ({ db, user }) => db.$count(ads, buildAwaitingAdAuditCondition(user)),
  },
  {
    key: 'programAudits',
    title: '待审批的节目单',
    url: '/advertiseManage/ProgramList?todo=1',
    calls: [programPublish.audit],
    count: ({ db, user }) => db.$count(adPrograms, buildAwaitingProgramAuditCondition(user)),
  },
]
