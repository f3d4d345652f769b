import { account, ProfileInput } from '@oms/contract/account/account.ts'
import { Button, Form, Radio, Space, Avatar } from 'antd'
import { useRead, useWrite } from '#core/api/query.ts'
import { useSession } from '#core/auth/session.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { GENDER } from '@oms/contract/account/account-fields.ts'
import type { Profile } from '@oms/contract/account/profile.ts'
import type { InputOf } from '@oms/contract/core/endpoint.ts'
import type * as z from 'zod'
import { call, isApiError } from '#core/api/client.ts'
import { NoteField, Field, TextField } from '#kit/form/field.tsx'
import { DateField } from '#kit/form/field-date.tsx'
import { selectAcceptedFields } from '#kit/form/form-values.ts'
import { RestoredDraft } from '#kit/form/restored-draft.tsx'
import { usePageForm } from '#kit/form/use-page-form.ts'
import { useDictLabels } from '#kit/pickers/dict-words.tsx'
import { files } from '@oms/contract/system/file.ts'
import { UserOutlined } from '@ant-design/icons'
import { type ChangeEvent, useRef, useState } from 'react'
import { useFileUrl } from '#core/api/file-url.ts'
import { FileProblems, useFileProblems } from '#kit/upload/file-problems.tsx'
import { AccountSettings } from './account-settings.tsx'
import { checkAvatar } from './avatar-rule.ts'

const TITLE = '编辑资料'

export default function ProfilePage() {
  const id = useSession()?.uid ?? 0
  const read = useRead(account.detail, { id }, { quiet: true })
  const { data } = read
  if (!data) {
    return (
      <AccountSettings title={TITLE}>
        <Waiting reads={[read]} />
      </AccountSettings>
    )
  }
  const facts = [
    ['账号', data.account],
    ['所属客户', data.tenantName || '-'],
    ['角色', data.roles.join('、') || '-'],
    ['最近登录', data.lastLoginTime ?? '-'],
    ['最近登录 IP 地址', data.lastLoginIp ?? '-'],
    ['创建时间', data.createTime],
  ]
  return (
    <AccountSettings title={TITLE}>
      <div className="profile">
        <div className="profile-side">
          <AvatarField profile={data} />
          <dl className="kit-facts">
            {facts.map(([title, value]) => (
              <div key={title}>
                <dt>{title}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </div>
        <ProfileForm profile={data} />
      </div>
    </AccountSettings>
  )
}

type Account = z.output<typeof Profile>

/** The picture has a save button of its own, so a changed picture is not an unsaved change of this form. */
const toRecord = ({ uid, ...rest }: Account) => ({ ...rest, id: uid, avatar: undefined })

/** Edits the user's own profile. The avatar is saved separately when chosen. */
export function ProfileForm({ profile }: { profile: Account }) {
  const save = usePageForm(account.modify, toRecord(profile), {
    draft: 'profile',
    latest: async () => toRecord(await call(account.detail, { id: profile.uid })),
    input: (values) =>
      selectAcceptedFields(account.modify, { ...values, avatar: profile.avatar }) as InputOf<typeof account.modify>,
  })
  const reset = () => save.load(toRecord(profile))
  return (
    <Form {...save.form} disabled={save.saving}>
      <RestoredDraft {...save.draft} />
      <ProfileFields />
      <ProfileButtons busy={save.saving} dirty={save.dirty} onUndo={reset} />
    </Form>
  )
}

function ProfileButtons({ busy, dirty, onUndo }: { busy: boolean; dirty: boolean; onUndo(): void }) {
  return (
    <Space>
      <Button type="primary" htmlType="submit" loading={busy}>
        保存
      </Button>
      <Button disabled={!dirty} onClick={onUndo}>
        撤销修改
      </Button>
    </Space>
  )
}

function ProfileFields() {
  const genders = useDictLabels('sys_user_sex', GENDER).options
  return (
    <>
      <TextField of={ProfileInput} name="realname" />
      <TextField of={ProfileInput} name="nickname" />
      <Field of={ProfileInput} name="gender">
        <Radio.Group options={genders} />
      </Field>
      <DateField of={ProfileInput} name="birthday" />
      <TextField of={ProfileInput} name="mobileNo" />
      <TextField of={ProfileInput} name="email" />
      <TextField of={ProfileInput} name="address" />
      <NoteField of={ProfileInput} name="profile" />
    </>
  )
}

/** Avatar of the user: chosen, validated, uploaded and saved in one step. */
function AvatarField({ profile }: { profile: z.output<typeof Profile> }) {
  const input = useRef<HTMLInputElement>(null)
  const shown = useFileUrl(profile.avatar)
  const { problems, add, clear } = useFileProblems()
  const { sending, send } = useAvatarUpload(profile, add)
  const onChange = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const file = target.files?.[0]
    target.value = ''
    if (!file) return
    clear()
    const refusal = checkAvatar(file)
    if (refusal) add(refusal)
    else void send(file)
  }
  return (
    <>
      <Avatar size={104} src={shown || undefined} icon={<UserOutlined />} alt="头像" />
      <input
        ref={input}
        type="file"
        accept=".jpg,.jpeg,.png"
        className="sr-only"
        tabIndex={-1}
        aria-label="选择头像图片"
        onChange={onChange}
      />
      <Button loading={sending} onClick={() => input.current?.click()}>
        更换头像
      </Button>
      <FileProblems problems={problems} />
    </>
  )
}

/** Uploads a picture and saves the picture as the avatar. */
function useAvatarUpload(profile: z.output<typeof Profile>, onProblem: (problem: string) => void) {
  const [sending, setSending] = useState(false)
  const save = useWrite(account.modify, { quiet: true })
  const send = async (file: File) => {
    setSending(true)
    try {
      const { url } = await call(files.upload, { purpose: 'avatar', file } as { purpose: 'avatar' }, { quiet: true })
      await save.mutateAsync({ ...inputOf(profile), id: profile.uid, rev: profile.rev, avatar: url })
    } catch (error) {
      onProblem(isApiError(error) && error.code === 400 && error.message ? error.message : '失败')
    }
    setSending(false)
  }
  return { sending, send }
}

/** Sends the other profile fields unchanged when only the picture is saved. */
const inputOf = ({
  realname,
  nickname,
  gender,
  birthday,
  profile,
  address,
  mobileNo,
  email,
}: z.output<typeof Profile>) => ({
  realname,
  nickname,
  gender: gender as 1 | 2 | undefined,
  birthday: birthday ?? undefined,
  profile,
  address,
  mobileNo: mobileNo ?? undefined,
  email: email ?? undefined,
})
