import { staff } from '@oms/contract/account/staff.ts'
import { call, ApiError } from '#core/api/client.ts'
import type { Staff } from './use-staff-actions.tsx'

/** Reads the latest row of an account. Only the list call returns the revision. */
export async function readStaff({ uid, account }: Staff) {
  const { list } = await call(staff.list, { account, pageNum: 1, pageSize: 100 }, { quiet: true })
  return list.find((each) => each.uid === uid) ?? Promise.reject(new ApiError(404, '该用户不存在或已被删除'))
}
