import { refusal } from '#test/browser-harness.tsx'

/** A stored role and its calls, for tests of a form that edits the role. */
export const ROLE = {
  id: 7,
  roleName: '质检',
  roleCode: 'qa',
  roleSort: 1,
  dataScope: 2,
  scopeIds: [],
  homeUrl: '',
  remark: '',
  tenantId: 1,
  rev: 3,
}
export const READ = 'GET /api/v1/tenant/role/7'
export const SAVE = 'PUT /api/v1/tenant/role'

/** Response to a save after another person, or another window of the user, saved first. */
export const conflictBy = (isOwn: boolean) =>
  refusal(400, '数据已被他人修改', { conflict: { by: '张三', isOwn, at: '2026-01-01 10:00:00', rev: 4 } })
