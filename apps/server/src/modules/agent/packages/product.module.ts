import { agentProducts } from '@oms/contract/agent/packages/product.ts'
import { implement } from '#core/http/implement.ts'
import { exportProducts, getVoicePackage, listProducts, listProductVersions } from './product-rows.ts'
import { createProduct, disableProduct, enableProduct, removeProduct, updateProduct } from './product-save.ts'

export const agentProductModule = implement(agentProducts, {
  list: listProducts,
  get: getVoicePackage,
  versions: listProductVersions,
  create: createProduct,
  update: updateProduct,
  remove: removeProduct,
  enable: enableProduct,
  disable: disableProduct,
  export: exportProducts,
})
