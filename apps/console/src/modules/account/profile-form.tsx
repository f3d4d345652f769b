import { account, GENDER, ProfileInput } from '@oms/contract/account.ts'
import { type Profile } from '@oms/contract/profile.ts'
import { Button, Form, Radio, Space } from 'antd'
import { useState } from 'react'
import type * as z from 'zod'
import { useUnsaved } from '#kernel/tab.tsx'
import { useDraft } from '#kernel/draft.ts'
import { NoteField, Field, TextField } from '#kit/field.tsx'
import { DateField } from '#kit/field-date.tsx'
import { useSubmit } from './use-submit.ts'

type Values = z.input<typeof ProfileInput>

/** What one may change of oneself. The avatar is saved by itself, as soon as it is chosen. */
export function ProfileForm({ profile }: { profile: z.output<typeof Profile> }) {
  const [form] = Form.useForm<Values>()
  const { submit, busy } = useSubmit(account.modify, form)
  const draft = useDraft('profile', form)
  const [dirty, setDirty] = useState(false)
  useUnsaved(dirty)
  const settle = () => {
    draft.clear()
    setDirty(false)
  }
  const undo = () => {
    form.resetFields()
    settle()
  }
  const onFinish = (values: Values) =>
    submit({ ...values, avatar: profile.avatar, id: profile.uid, rev: profile.rev }, settle)
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
      <TextField of={ProfileInput} name="realname" />
      <TextField of={ProfileInput} name="nickname" />
      <Field of={ProfileInput} name="gender">
        <Radio.Group options={Object.entries(GENDER).map(([value, label]) => ({ value: Number(value), label }))} />
      </Field>
      <DateField of={ProfileInput} name="birthday" />
      <TextField of={ProfileInput} name="mobileNo" />
      <TextField of={ProfileInput} name="email" />
      <TextField of={ProfileInput} name="address" />
      <NoteField of={ProfileInput} name="profile" />
      <Space>
        <Button type="primary" htmlType="submit" loading={busy}>
          保存
        </Button>
        <Button disabled={!dirty && !draft.restored} onClick={undo}>
          撤销修改
        </Button>
      </Space>
    </Form>
  )
}
