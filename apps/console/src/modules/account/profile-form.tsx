import { GENDER } from '@oms/contract/entities/account.ts'
import { account, ProfileInput } from '@oms/contract/account/account.ts'
import { type Profile } from '@oms/contract/account/profile.ts'
import { Button, Form, Radio, Space } from 'antd'
import { useState } from 'react'
import type * as z from 'zod'
import { useUnsaved } from '#core/routing/tab.tsx'
import { useDraft } from '#core/auth/draft.ts'
import { NoteField, Field, TextField } from '#kit/form/field.tsx'
import { useWords } from '#kit/pickers/dict-words.tsx'
import { RestoredDraft } from '#kit/form/restored-draft.tsx'
import { DateField } from '#kit/form/field-date.tsx'
import { useSubmit } from './use-submit.ts'

type Values = z.input<typeof ProfileInput>

/** Edits the user's own profile. The avatar is saved separately when chosen. */
export function ProfileForm({ profile }: { profile: z.output<typeof Profile> }) {
  const [form] = Form.useForm<Values>()
  const { submit, busy } = useSubmit(account.modify, form)
  const draft = useDraft('profile', form)
  const [dirty, setDirty] = useState(draft.restored)
  useUnsaved(dirty)
  const clearDraft = () => {
    draft.clear()
    setDirty(false)
  }
  const undo = () => {
    form.resetFields()
    clearDraft()
  }
  const onFinish = (values: Values) =>
    submit({ ...values, avatar: profile.avatar, id: profile.uid, rev: profile.rev }, clearDraft)
  return (
    <Form
      name="profile"
      form={form}
      layout="vertical"
      initialValues={profile}
      onFinish={onFinish}
      onValuesChange={() => {
        draft.onValuesChange()
        setDirty(true)
      }}
    >
      <RestoredDraft restored={draft.restored} onStartOver={undo} />
      <ProfileFields />
      <ProfileButtons busy={busy} dirty={dirty} onUndo={undo} />
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
  const genders = useWords('sys_user_sex', GENDER).options
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
