import { GENDER } from '@oms/contract/account/account-fields.ts'
import { StaffInput, staff, StaffRow } from '@oms/contract/account/staff.ts'
import { Drawer, Form, Modal, Alert, Button, Tabs, Tag } from 'antd'
import { useCan } from '#core/auth/session.tsx'
import { NoteField, SelectField, TextField, Field } from '#kit/form/field.tsx'
import { DateTimeField } from '#kit/form/field-date.tsx'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormDrawer, useFormModal } from '#kit/form/use-form-modal.ts'
import { useDictLabels } from '#kit/pickers/dict-words.tsx'
import { type Staff, formatStaffName, useRoleOptions, Gender } from './staff.tsx'
import { CreatingSelect } from '#kit/pickers/creating-select.tsx'
import { call, ApiError } from '#core/api/client.ts'
import type { ImportReport } from '@oms/contract/core/transfer.ts'
import { useState } from 'react'
import { useUnsaved } from '#core/routing/tab.tsx'
import { ReasonedButton } from '#kit/feedback/reasoned-button.tsx'
import { saveSecretTable } from '#kit/feedback/save-secrets.ts'
import { ImportModal } from '#kit/jobs/import-modal.tsx'
import { DownloadFailedRows, ImportProblems } from '#kit/jobs/import-problems.tsx'
import { DetailDrawer } from '#kit/record/detail-drawer.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { EnabledTag } from '#kit/record/enabled-tag.tsx'
import { createHistoryTab } from '#kit/record/record-history.tsx'
import { TagList } from '#kit/record/tag-list.tsx'
import { Time } from '#kit/record/time.tsx'
import { useRead } from '#core/api/query.ts'
import { SessionList } from '#kit/record/session-list.tsx'
import { useEndSession } from '#kit/record/use-end-session.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'

/** Form that adds an account. The response contains the one-time password. */
export function StaffAddForm(props: { onClose(): void; onMade(made: { account: string; password: string }): void }) {
  const { drawer, footer, form } = useFormDrawer(staff.create, { onClose: props.onClose, onSaved: props.onMade })
  return (
    <Drawer title="新增用户" {...drawer} footer={<FormFooter {...footer} />}>
      <Form {...form}>
        <TextField of={StaffInput} name="account" hint="用于登录，4～30 个字符，创建后不能修改" />
        <TextField of={StaffInput} name="realname" />
        <TextField of={StaffInput} name="nickname" />
        <Roles />
        <TextField of={StaffInput} name="mobileNo" />
        <TextField of={StaffInput} name="email" />
        <OtherFields />
      </Form>
    </Drawer>
  )
}

const EDIT = staff.update.input

/** Form that edits an account. Masked numbers stay unchanged unless the user types a new number. */
export function StaffEditForm({ row, onClose }: { row: Staff; onClose(): void }) {
  return (
    <FreshRecord
      of={row.uid}
      read={() => readStaff(row)}
      layer="drawer"
      title={`编辑用户 ${row.account}`}
      onClose={onClose}
    >
      {(fresh) => <EditForm row={fresh} onClose={onClose} />}
    </FreshRecord>
  )
}

function EditForm({ row, onClose }: { row: Staff; onClose(): void }) {
  const latest = () => readStaff(row)
  const options = { onClose, initial: row, input: inputOf(useCan()), latest }
  const { drawer, footer, form } = useFormDrawer(staff.update, options)
  return (
    <Drawer title={`编辑用户 ${row.account}`} {...drawer} footer={<FormFooter {...footer} />}>
      <Form {...form}>
        <TextField of={StaffInput} name="realname" />
        <TextField of={StaffInput} name="nickname" />
        <Roles />
        <TextField of={EDIT} name="mobileNo" hint={row.mobileNo?.includes('*') && MASKED} />
        <TextField of={EDIT} name="email" hint={row.email?.includes('*') && MASKED} />
        <OtherFields />
      </Form>
    </Drawer>
  )
}

const MASKED = '已隐藏部分内容，不修改则保持原值'

/** Leaves out the roles when the user may not assign roles. */
const inputOf = (can: (access: string) => boolean) => (values: Record<string, unknown>) => {
  const keys = Object.keys(EDIT.shape).filter((key) => key !== 'roleIds' || can(staff.assignRole.access))
  return Object.fromEntries(keys.map((key) => [key, values[key]])) as never
}

function Roles() {
  return useCan()(staff.assignRole.access) ? <RoleField /> : null
}

function OtherFields() {
  const genders = useDictLabels('sys_user_sex', GENDER).options
  return (
    <>
      <SelectField of={StaffInput} name="gender" options={genders} />
      <DateTimeField of={StaffInput} name="expireTime" hint="到期后不能登录，不填则长期有效" />
      <NoteField of={StaffInput} name="remark" rows={3} />
    </>
  )
}

/** Form that assigns roles to an account. It needs only the permission to assign roles. */
export function AssignRoleForm({ row, onClose }: { row: Staff; onClose(): void }) {
  return (
    <FreshRecord of={row.uid} read={() => readStaff(row)} title={`分配角色 ${formatStaffName(row)}`} onClose={onClose}>
      {(fresh) => <RolesForm row={fresh} onClose={onClose} />}
    </FreshRecord>
  )
}

function RolesForm({ row, onClose }: { row: Staff; onClose(): void }) {
  const { modal, form } = useFormModal(staff.assignRole, {
    onClose,
    initial: { uid: row.uid, roleIds: row.roleIds },
  })
  return (
    <Modal title={`分配角色 ${formatStaffName(row)}`} {...modal}>
      <Form {...form}>
        <RoleField hint="保存后立即对已登录的会话生效" />
      </Form>
    </Modal>
  )
}

/** Warning that an account without a role sees no page after login. */
const MissingRoleWarning = () => (
  <span style={{ color: 'var(--ant-color-warning)' }} role="status">
    未分配角色：该用户登录后看不到任何功能
  </span>
)

/** Form field for the roles of an account. */
function RoleField({ hint }: { hint?: string }) {
  const options = useRoleOptions()
  const chosen = Form.useWatch('roleIds') as readonly number[] | undefined
  const isNone = !chosen?.length
  return (
    <Field of={StaffInput} name="roleIds" hint={isNone ? <MissingRoleWarning /> : hint}>
      <CreatingSelect
        create="role"
        mode="multiple"
        allowClear
        placeholder="请选择角色"
        options={options}
        showSearch={{ optionFilterProp: 'label' }}
      />
    </Field>
  )
}

/** Reads the latest row of an account. Only the list call returns the revision. */
async function readStaff({ uid, account }: Staff) {
  const { list } = await call(staff.list, { account, pageNum: 1, pageSize: 100 }, { quiet: true })
  return list.find((each) => each.uid === uid) ?? Promise.reject(new ApiError(404, '该用户不存在或已被删除'))
}

type StaffReport = ImportReport & {
  readonly passwords: readonly { readonly account: string; readonly password: string }[]
}

/** Imports accounts, then offers their one-time passwords as a file. */
export function StaffImport({ onClose }: { onClose(): void }) {
  const [report, setReport] = useState<StaffReport>()
  if (!report || report.passwords.length === 0)
    return (
      <ImportModal
        title="导入用户"
        to={staff.import}
        template={staff.template}
        onClose={onClose}
        onImported={(imported) => setReport(imported as StaffReport)}
      />
    )
  return <PasswordsDialog report={report} onClose={onClose} />
}

/**
 * Offers the one-time passwords as a file, and the refused lines. The dialog closes only after the passwords are saved;
 * closing the tab or the window before asks for confirmation.
 */
function PasswordsDialog({ report, onClose }: { report: StaffReport; onClose(): void }) {
  const { passwords } = report
  const [saved, setSaved] = useState(false)
  useUnsaved(true)
  const download = () => {
    const rows = passwords.map(({ account, password }) => [account, password])
    saveSecretTable('一次性密码', ['账号', '一次性密码'], rows)
    setSaved(true)
  }
  return (
    <Modal
      open
      title="导入完成"
      closable={false}
      keyboard={false}
      footer={
        <ReasonedButton type="primary" reason={saved ? undefined : '请先下载一次性密码'} onClick={onClose}>
          完成
        </ReasonedButton>
      }
    >
      <div className="kit-stack">
        <ImportProblems report={report} />
        <DownloadFailedRows report={report} />
        <Alert
          type="warning"
          showIcon
          title={`${passwords.length} 个新账号的一次性密码`}
          description="一次性密码只能在此下载，关闭后无法再查看。首次登录后必须修改密码。"
        />
        <Button type="primary" onClick={download}>
          下载一次性密码
        </Button>
      </div>
    </Modal>
  )
}

const { item, wide } = createDescriptions(StaffRow)
const at = (time: string | null) => <Time at={time} />
const ITEMS = [
  item('uid'),
  item('account'),
  item('realname'),
  item('nickname'),
  item('gender', (gender) => <Gender gender={gender} />),
  item('status', (status, { locked }) => (
    <>
      <EnabledTag on={status === 1} />
      {locked && <Tag color="error">已锁定</Tag>}
    </>
  )),
  item('mobileNo'),
  item('email'),
  wide('roleNames', (names) => (
    <TagList>
      {names.map((name) => (
        <Tag key={name}>{name}</Tag>
      ))}
    </TagList>
  )),
  item('lastLoginTime', at),
  item('lastLoginIp'),
  item('mfaEnabled'),
  item('pwdMustChange'),
  item('expireTime', (time) => (time ? at(time) : '长期有效')),
  item('createTime', at),
  wide('remark'),
]

/** Shows one account in a drawer: its fields, its sessions and its operation history. */
export function StaffDrawer(props: {
  rows: readonly Staff[]
  row: Staff | undefined
  onRow(row: Staff | undefined): void
}) {
  const can = useCan()
  return (
    <DetailDrawer {...props} rowKey="uid" title={formatStaffName}>
      {(row) => (
        <Tabs
          items={[
            { key: 'details', label: '基本信息', children: <Descriptions row={row} items={ITEMS} /> },
            ...(can(staff.sessions.access)
              ? [{ key: 'sessions', label: '登录会话', children: <StaffSessions key={row.uid} uid={row.uid} /> }]
              : []),
            createHistoryTab('account', row.uid),
          ]}
        />
      )}
    </DetailDrawer>
  )
}

/** Lists the sessions of an account. */
function StaffSessions({ uid }: { uid: number }) {
  const { data, error, refetch } = useRead(staff.sessions, { id: uid }, { quiet: true, keepPrevious: false })
  const forceOut = useEndSession(['tenant'])
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={3} />
  return <SessionList sessions={data.list} onEnd={forceOut} />
}
