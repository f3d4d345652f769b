import { account } from '@oms/contract/account/account.ts'
import { type Profile } from '@oms/contract/account/profile.ts'
import { files } from '@oms/contract/system/file.ts'
import { UserOutlined } from '@ant-design/icons'
import { Avatar, Button } from 'antd'
import { type ChangeEvent, useRef, useState } from 'react'
import type * as z from 'zod'
import { call, isApiError } from '#core/api/client.ts'
import { useFileUrl } from '#core/api/file-url.ts'
import { useWrite } from '#core/api/query.ts'
import { FileProblems, useFileProblems } from '#kit/upload/file-problems.tsx'
import { checkAvatar } from './avatar-rule.ts'

/** Avatar of the user: chosen, validated, uploaded and saved in one step. */
export function AvatarField({ profile }: { profile: z.output<typeof Profile> }) {
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
