import { agentProducts } from '@oms/contract/agent/packages/product.ts'
import { implement } from '#core/http/implement.ts'
import {
  exportProducts,
  getProduct,
  listProducts,
  productModels,
  productTenants,
  productVersions,
} from './product-rows.ts'
import { createProduct, disableProduct, enableProduct, removeProduct, updateProduct } from './product-save.ts'

export const agentProductModule = implement(agentProducts, {
  list: listProducts,
  get: getProduct,
  versions: productVersions,
  models: productModels,
  tenants: productTenants,
  create: createProduct,
  update: updateProduct,
  remove: removeProduct,
  enable: enableProduct,
  disable: disableProduct,
  export: exportProducts,
})
