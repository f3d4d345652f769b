import { UploadOutlined } from '@ant-design/icons'
import { storageGrantFiles } from '@oms/contract/storage/grant-file.ts'
import { Button } from 'antd'
import { Allowed } from '#core/auth/session.tsx'

/** Opens the dialog that opens a package by a file. */
export const ImportButton = ({ onImport }: { onImport(): void }) => (
  <Allowed to={storageGrantFiles.import}>
    <Button icon={<UploadOutlined />} onClick={onImport}>
      批量开通
    </Button>
  </Allowed>
)
