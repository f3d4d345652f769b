import { DEFAULT_NAME } from '@oms/contract/core/product.ts'
import { getPermissions } from '#core/auth/session.tsx'
import { readPageBrand } from '#core/sign-in/page-brand.ts'

/** Returns the title of a page for the browser tab. */
export const formatPageTitle = (title: string) =>
  `${title} - ${getPermissions().brand.name || readPageBrand()?.name || DEFAULT_NAME}`
