// Lets agents load the packages in INTEROP_HOME: Node looks for them next to the importing file. Loaded with `--import`.
import { register } from "node:module";

const hooks = `
export async function resolve(name, context, next) {
  try {
    return await next(name, context);
  } catch (error) {
    if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
    return next(name, { ...context, parentURL: ${JSON.stringify(new URL(`file://${process.env.INTEROP_HOME}/package.json`))} });
  }
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
