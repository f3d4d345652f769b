import { ViewInput, views as calls } from '@oms/contract/account/views.ts'
import { createView, shareView } from '#modules/account/index.ts'
import { type Demo, runCall } from './call.ts'

const SHARED = [
  {
    page: '/AfterService/Questions',
    name: '紧急待处理',
    query: 'status=0&priority=4&orderByColumn=createTime&isAsc=asc',
  },
  { page: '/device/apkManage', name: '未绑定App', query: 'activated=1&appBound=0' },
] as const

/** Creates views of the demo account that all staff of the platform see. */
export async function seedDemoViews(demo: Demo) {
  for (const view of SHARED) {
    const { id } = await runCall(demo, { name: 'create', ...calls.create }, ViewInput.parse(view), createView)
    await runCall(demo, { name: 'share', ...calls.share }, { id, shared: true }, shareView)
  }
}
