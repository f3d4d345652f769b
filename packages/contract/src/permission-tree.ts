import * as z from 'zod'

/** Node of a permission tree. The caller may grant or revoke the permission only when `grantable` is true. */
export interface PermNode {
  id: number
  parentId: number
  name: string
  type: 'M' | 'C' | 'F'
  perms: string
  url: string
  status: number
  grantable: boolean
  children: PermNode[]
}
export const PermNode: z.ZodType<PermNode> = z.object({
  id: z.int(),
  parentId: z.int(),
  name: z.string(),
  type: z.enum(['M', 'C', 'F']),
  perms: z.string(),
  url: z.string(),
  status: z.int(),
  grantable: z.boolean(),
  get children() {
    return z.array(PermNode)
  },
})
