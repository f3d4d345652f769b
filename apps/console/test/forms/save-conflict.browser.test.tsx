import { afterEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { RoleForm } from '#modules/account/roles/role-form.tsx'
import { ok, openTab, refusal, startServer } from '#test/browser-harness.tsx'
import { conflictBy, READ, ROLE, SAVE } from './role-conflict.ts'

const CONFLICT = conflictBy(false)
/** The role after the other person changed its name, order and data scope. */
const STORED = { ...ROLE, roleName: '质检二组', roleSort: 8, dataScope: 4, rev: 4 }

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  tab = undefined
})

const name = () => page.getByLabelText('角色名称', { exact: true })
const remark = () => page.getByLabelText('备注', { exact: true })
const save = () => page.getByRole('button', { name: /^(loading )?保\s?存$/ }).click()
const press = (text: string) => page.getByRole('button', { name: text }).click()

/** Opens the role, types a name and a remark, and saves after another person saved. */
async function saveTooLate() {
  const server = startServer({ [READ]: () => ok(ROLE), [SAVE]: () => ok({}, '修改成功') })
  tab = openTab(<RoleForm role={ROLE as never} onClose={() => {}} />)
  await expect.element(name()).toHaveValue('质检')
  await name().fill('质检一组')
  await remark().fill('夜班')
  server.on(READ, () => ok(STORED))
  server.on(SAVE, ({ rev }) => (rev === 4 ? ok({}, '修改成功') : CONFLICT))
  await save()
  await expect.element(page.getByRole('button', { name: '继续编辑' })).toBeVisible()
  return server
}

test('loading the latest record keeps typed values, marks fields that both changed and takes the other changes', async () => {
  const server = await saveTooLate()
  await press('加载最新')
  await expect.element(name()).toHaveValue('质检一组')
  await expect.element(remark()).toHaveValue('夜班')
  await expect.element(page.getByText('此项已被修改为「质检二组」，请核对')).toBeVisible()
  expect(tab?.hasUnsavedTabs()).toBe(true)
  await save()
  await expect.poll(() => server.inputsOf(SAVE)).toHaveLength(2)
  expect(server.inputsOf(SAVE)[1]).toMatchObject({
    roleName: '质检一组',
    remark: '夜班',
    roleSort: 8,
    dataScope: 4,
    rev: 4,
  })
})

test('continuing to edit changes nothing in the form', async () => {
  await saveTooLate()
  await press('继续编辑')
  await expect.element(name()).toHaveValue('质检一组')
})

test('a conflict whose latest record cannot be loaded offers neither blind loading nor blind overwriting', async () => {
  const server = startServer({ [READ]: () => ok(ROLE), [SAVE]: () => CONFLICT })
  tab = openTab(<RoleForm role={ROLE as never} onClose={() => {}} />)
  await name().fill('质检一组')
  server.on(READ, () => refusal(500, 'x'))
  await save()
  await expect.element(page.getByText('您填写的内容仍保留在表单中。', { exact: false })).toBeVisible()
  for (const label of ['加载最新', '覆盖保存'])
    await expect.element(page.getByRole('button', { name: label })).not.toBeInTheDocument()
  await press('继续编辑')
})
