import { PermittedLink } from './known-link.tsx'

interface RecordLinkProps {
  readonly id: number
  readonly name: string
}

/** Path of a list with filters: `/device/updateManage?modelCode=IPC`. */
export const listPath = (path: string, filters: Readonly<Record<string, string | number>>) =>
  `${path}?${new URLSearchParams(Object.entries(filters).map(([key, value]) => [key, String(value)]))}`

export const TenantLink = ({ id, name }: RecordLinkProps) => (
  <PermittedLink to={`/tenantManage/tenant/overview/${id}`}>{name}</PermittedLink>
)

/** Link to a device page; the name is the serial number. */
export const DeviceLink = ({ id, name }: RecordLinkProps) => (
  <PermittedLink to={`/device/apkManage/detail/${id}`}>{name}</PermittedLink>
)

/** Link to the list with only this model; the list has no page of one model. */
export const ModelLink = ({ code, name }: { readonly code: string; readonly name: string }) => (
  <PermittedLink to={listPath('/device/updateManage', { modelCode: code })}>{name}</PermittedLink>
)
