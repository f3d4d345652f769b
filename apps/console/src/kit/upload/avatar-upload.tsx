import { CameraOutlined, LoadingOutlined, UserOutlined } from '@ant-design/icons'
import { UPLOAD, uploadProblem } from '@oms/contract/upload.ts'
import { Avatar } from 'antd'
import { useState } from 'react'
import { isRefusal } from '#kernel/call.ts'
import { useFileUrl } from '#kernel/file-url.ts'
import { toast } from '#kernel/toast.ts'
import '../kit.css'
import { FileButton } from './file-button.tsx'
import { sendFile } from './use-upload-batch.ts'

/** The specification's word for an avatar that could not be uploaded. */
const FAILED = '失败'

/** A round picture that is replaced by a click; its value is one address. */
export function AvatarUpload({ value, onChange }: { value?: string; onChange?: (value: string) => void }) {
  const [sending, setSending] = useState(false)
  const url = useFileUrl(value)
  const take = async ([file]: File[]) => {
    if (!file) return
    const problem = uploadProblem(UPLOAD.avatar, file)
    if (problem) return toast.error(problem)
    setSending(true)
    try {
      onChange?.((await sendFile('avatar', file)).url)
    } catch (error) {
      toast.error(isRefusal(error) && !error.worthRetrying ? error.message : FAILED)
    }
    setSending(false)
  }
  return (
    <FileButton label="选择头像" extensions={UPLOAD.avatar.extensions} onFiles={take}>
      <button type="button" className="kit-avatar" aria-label="更换头像" aria-busy={sending}>
        <Avatar size={96} {...(url ? { src: url } : { icon: <UserOutlined /> })} />
        <span className="kit-avatar-over">{sending ? <LoadingOutlined /> : <CameraOutlined />}</span>
      </button>
    </FileButton>
  )
}
