import { account } from '@oms/contract/account.ts'
import { type Profile } from '@oms/contract/profile.ts'
import { files } from '@oms/contract/file.ts'
import { UserOutlined } from '@ant-design/icons'
import { Avatar, Button } from 'antd'
import { type ChangeEvent, useRef, useState } from 'react'
import type * as z from 'zod'
import { call, isRefusal } from '#kernel/call.ts'
import { useFileUrl } from '#kernel/file-url.ts'
import { useWrite } from '#kernel/query.ts'
import { toast } from '#kernel/toast.ts'
import { avatarRefusal } from './avatar-rule.ts'

/** The picture of oneself: chosen, checked, sent and saved in one go. */
export function AvatarField({ profile }: { profile: z.output<typeof Profile> }) {
  const input = useRef<HTMLInputElement>(null)
  const [sending, setSending] = useState(false)
  const shown = useFileUrl(profile.avatar)
  const save = useWrite(account.modify)
  const send = async (file: File) => {
    setSending(true)
    try {
      const { url } = await call(files.upload, { purpose: 'avatar', file } as { purpose: 'avatar' }, { quiet: true })
      await save.mutateAsync({ ...inputOf(profile), id: profile.uid, rev: profile.rev, avatar: url })
    } catch (error) {
      toast.error(isRefusal(error) && error.code === 400 && error.message ? error.message : '失败')
    }
    setSending(false)
  }
  const onChange = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const file = target.files?.[0]
    target.value = ''
    if (!file) return
    const refusal = avatarRefusal(file)
    if (refusal) toast.error(refusal)
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
    </>
  )
}

/** The rest of the profile as it is stored: saving a picture changes nothing else. */
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
