import { GENDER } from '@oms/contract/account/account-fields.ts'
import { account, ProfileInput } from '@oms/contract/account/account.ts'
import { type Profile } from '@oms/contract/account/profile.ts'
import type { InputOf } from '@oms/contract/core/endpoint.ts'
import { Button, Form, Radio, Space } from 'antd'
import type * as z from 'zod'
import { call } from '#core/api/client.ts'
import { NoteField, Field, TextField } from '#kit/form/field.tsx'
import { DateField } from '#kit/form/field-date.tsx'
import { selectAcceptedFields } from '#kit/form/form-values.ts'
import { RestoredDraft } from '#kit/form/restored-draft.tsx'
import { usePageForm } from '#kit/form/use-page-form.ts'
import { useDictLabels } from '#kit/pickers/dict-words.tsx'

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
