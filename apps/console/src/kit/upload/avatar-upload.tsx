import { CameraOutlined, LoadingOutlined, UserOutlined } from '@ant-design/icons'
import { UPLOAD } from '@oms/contract/core/upload.ts'
import { Avatar } from 'antd'
import { useState } from 'react'
import { isApiError } from '#core/api/client.ts'
import { useFileUrl } from '#core/api/file-url.ts'
import '#kit/kit.css'
import { FileButton } from './file-button.tsx'
import { FileProblems, useFileProblems } from './file-problems.tsx'
import { sendFile } from './use-upload-batch.ts'

/** Error message of the specification for a failed avatar upload. */
const FAILED = '失败'

/** Round avatar that is replaced by a click; its value is one URL. */
export function AvatarUpload({ value, onChange }: { value?: string; onChange?: (value: string) => void }) {
  const [sending, setSending] = useState(false)
  const { problems, accept, add } = useFileProblems()
  const url = useFileUrl(value)
  const take = async ([file]: File[]) => {
    if (!file) return
    if (!accept(UPLOAD.avatar, file)) return
    setSending(true)
    try {
      onChange?.((await sendFile('avatar', file)).url)
    } catch (error) {
      add(isApiError(error) && !error.worthRetrying ? error.message : FAILED)
    }
    setSending(false)
  }
  return (
    <>
      <FileButton label="选择头像" extensions={UPLOAD.avatar.extensions} onFiles={take}>
        <button type="button" className="kit-avatar" aria-label="更换头像" aria-busy={sending}>
          <Avatar size={96} {...(url ? { src: url } : { icon: <UserOutlined /> })} />
          <span className="kit-avatar-over">{sending ? <LoadingOutlined /> : <CameraOutlined />}</span>
        </button>
      </FileButton>
      <FileProblems problems={problems} />
    </>
  )
}
