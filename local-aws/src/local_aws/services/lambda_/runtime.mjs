// The process in which a function's Node.js handler runs, with Node's own modules alone.
//
// It speaks with the local AWS over the pipes of runtime.py, in the same words. What a handler is
// given, and what becomes of its errors and of its log, are those of AWS's runtime (AWS Lambda
// developer guide, "Define Lambda function handler in Node.js", "Using the Lambda context object",
// "Log and monitor Node.js Lambda functions", and the read-me of
// github.com/aws/aws-lambda-nodejs-runtime-interface-client).

import fs from "node:fs";
import http from "node:http";
import https from "node:https";
import { createRequire, registerHooks, syncBuiltinESMExports } from "node:module";
import net from "node:net";
import path from "node:path";
import { Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import { format, types } from "node:util";

const [REQUESTS, ANSWERS] = process.env._LOCAL_AWS_RUNTIME.split("\n").map(Number);
delete process.env._LOCAL_AWS_RUNTIME;

const TASK_ROOT = process.env.LAMBDA_TASK_ROOT;
const VERSION = Number(/\d+$/.exec(process.env.AWS_EXECUTION_ENV.replace(/\.x$/, "")));
const CALLBACKS_ENDED = 24;  // aws.amazon.com/blogs/compute/node-js-24-runtime-now-available-in-aws-lambda
const STREAMING = Symbol.for("aws.lambda.runtime.handler.streaming");
const PRELUDE = "application/vnd.awslambda.http-integration-response";

async function main() {
  answer("started", process.pid);
  const requests = new net.Socket({ fd: REQUESTS, readable: true, writable: false });
  requests.unref();
  logAsAws();
  findModules();
  reachCallbacks(new URL(process.env.AWS_ENDPOINT_URL));
  globalThis.awslambda = { streamifyResponse, HttpResponseStream: { from: withPrelude } };
  process.on("uncaughtException", (error) => endWith("Uncaught Exception", error, 129));
  process.on("unhandledRejection", (reason, promise) =>
    endWith("Unhandled Promise Rejection", new UnhandledPromiseRejection(reason, promise), 128),
  );
  const handler = await load(process.env._HANDLER).catch((error) =>
    endWith("Uncaught Exception", error, 129),
  );
  answer("ready", null);
  serve(requests, handler);
}

/** Run one invocation after another; without the pipe of requests there is no local AWS. */
function serve(requests, handler) {
  let unread = "";
  requests.setEncoding("utf8");
  requests.on("end", () => process.kill(0, "SIGKILL"));
  requests.on("data", (chunk) => {
    unread += chunk;
    const end = unread.indexOf("\n");
    if (end >= 0) {
      const request = JSON.parse(unread.slice(0, end));
      unread = unread.slice(end + 1);
      requests.unref();  // what is left in the event loop is the function's
      process.env._X_AMZN_TRACE_ID = request.trace_id;
      current = new Invocation(request, () => requests.ref());
      current.run(handler);
    }
  });
  process.on("beforeExit", () => current?.loopIsEmpty());
  requests.ref();
}

let current = null;

/** One event: answered once, by whatever comes first. */
class Invocation {
  constructor(request, done) {
    this.request = request;
    this.done = done;
    this.pending = null;
    this.waits = true;
  }

  get id() {
    return this.request.request_id;
  }

  run(handler) {
    try {
      if (handler[STREAMING]) {
        this.stream(handler);
        return;
      }
      const context = this.context();
      const given = handler(this.request.event, context, (error, result) =>
        this.settle(error, result, this.waits),
      );
      if (typeof given?.then === "function") {
        given.then((result) => this.succeed(result), (error) => this.fail(error));
      } else if (VERSION >= CALLBACKS_ENDED) {
        this.succeed(given);
      }
    } catch (error) {
      this.fail(error);
    }
  }

  stream(handler) {
    const invocation = this;
    let type = "application/octet-stream";
    const response = new Writable({
      write(chunk, encoding, next) {
        if (current === invocation) {
          answer("part", { type, content: chunk.toString("base64") });
        }
        next();
      },
    });
    response.setContentType = (given) => {
      type = given;
    };
    const send = () => this.deliver("streamed", null);
    this.pending = send;
    response.on("error", (error) => this.fail(error));
    const finished = new Promise((resolve) => response.on("finish", resolve));
    Promise.all([handler(this.request.event, response, this.context()), finished]).then(
      send,
      (error) => this.fail(error),
    );
  }

  context() {
    const { request } = this;
    const invocation = this;
    const context = {
      get callbackWaitsForEmptyEventLoop() {
        return invocation.waits;
      },
      set callbackWaitsForEmptyEventLoop(value) {
        invocation.waits = value;
      },
      functionVersion: process.env.AWS_LAMBDA_FUNCTION_VERSION,
      functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
      memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
      logGroupName: process.env.AWS_LAMBDA_LOG_GROUP_NAME,
      logStreamName: process.env.AWS_LAMBDA_LOG_STREAM_NAME,
      clientContext: request.client_context ? JSON.parse(request.client_context) : undefined,
      identity: undefined,
      invokedFunctionArn: request.invoked_function_arn,
      awsRequestId: request.request_id,
      getRemainingTimeInMillis: () => Math.max(0, request.deadline_ms - Date.now()),
    };
    if (VERSION >= CALLBACKS_ENDED) {
      return context;
    }
    const done = (error, result) => this.settle(error, result, false);
    const fail = (error) => done(error ?? "handled");
    return Object.assign(context, { done, fail, succeed: (result) => done(null, result) });
  }

  settle(error, result, waits) {
    if (error !== undefined && error !== null) {
      this.fail(error);
    } else if (waits) {
      this.pending = () => this.succeed(result);
    } else {
      this.succeed(result);
    }
  }

  /** Nothing is left that could answer, so this does: by what a callback was given, or null. */
  loopIsEmpty() {
    (this.pending ?? (() => this.succeed(null)))();
  }

  succeed(result) {
    let body;
    try {
      body = JSON.stringify(result) ?? "null";
    } catch {
      this.fail(new RuntimeError("Runtime.MarshalError", "Unable to stringify response body"));
      return;
    }
    this.deliver("result", body);
  }

  fail(error) {
    console.error("Invoke Error", told(error));
    this.deliver("error", described(error));
  }

  deliver(status, body) {
    if (current === this) {
      current = null;
      answer(status, body);
      this.done();
    }
  }
}

class RuntimeError extends Error {
  constructor(name, message) {
    super(message);
    this.name = name;
    this.stack = `${name}: ${message}${this.stack.slice(this.stack.indexOf("\n"))}`;
  }
}

class UnhandledPromiseRejection extends RuntimeError {
  constructor(reason, promise) {
    super("Runtime.UnhandledPromiseRejection", String(reason));
    this.reason = reason;
    this.promise = promise;
  }
}

/** The handler that a name like ``folder/index.handler`` means. */
async function load(name) {
  if (name.includes("..")) {
    const why = "Use absolute paths when specifying root directories in handler names.";
    throw new RuntimeError(
      "Runtime.MalformedHandlerName",
      `'${name}' is not a valid handler name. ${why}`,
    );
  }
  const [, module, member] = /^([^.]*)\.(.+)$/.exec(path.basename(name)) ?? [];
  if (member === undefined) {
    throw new RuntimeError("Runtime.MalformedHandlerName", "Bad handler");
  }
  let handler;
  try {
    handler = await imported(path.resolve(TASK_ROOT, path.dirname(name), module), module);
  } catch (error) {
    if (error instanceof SyntaxError) {
      throw new RuntimeError("Runtime.UserCodeSyntaxError", String(error));
    }
    if (error?.code === "MODULE_NOT_FOUND") {
      throw new RuntimeError("Runtime.ImportModuleError", String(error));
    }
    throw error;
  }
  for (const each of member.split(".")) {
    handler = handler?.[each];
  }
  if (handler === undefined) {
    throw new RuntimeError("Runtime.HandlerNotFound", `${name} is undefined or not exported`);
  }
  if (typeof handler !== "function") {
    throw new RuntimeError("Runtime.HandlerNotFound", `${name} is not a function`);
  }
  if (VERSION >= CALLBACKS_ENDED && !handler[STREAMING] && handler.length >= 3) {
    throw new RuntimeError(
      "Runtime.CallbackHandlerDeprecated",
      "AWS Lambda has removed support for callback-based function handlers starting with " +
        "Node.js 24. You need to modify this function to use a supported handler signature to " +
        "use Node.js 24 or later.",
    );
  }
  return handler;
}

/** A module by its file without its ending, in the order in which AWS's runtime tries them. */
async function imported(file, module) {
  const require = createRequire(path.join(TASK_ROOT, "_"));
  const isModule = fs.existsSync(`${file}.js`) && belongsToModules(`${file}.js`);
  if (!isModule && (fs.existsSync(file) || fs.existsSync(`${file}.js`))) {
    return require(fs.existsSync(`${file}.js`) ? `${file}.js` : file);
  }
  const found = isModule ? `${file}.js` : `${file}.mjs`;
  if (fs.existsSync(found)) {
    return import(pathToFileURL(found));
  }
  return require(fs.existsSync(`${file}.cjs`) ? `${file}.cjs` : require.resolve(module, { paths: [TASK_ROOT, path.dirname(file)] }));
}

/** Whether the nearest package.json says that its ``.js`` are ES modules. */
function belongsToModules(file) {
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    const manifest = path.join(folder, "package.json");
    if (fs.existsSync(manifest)) {
      return JSON.parse(fs.readFileSync(manifest, "utf8")).type === "module";
    }
    if (folder === path.dirname(folder)) {
      return false;
    }
  }
}

/** Let ES modules be found by NODE_PATH, as AWS's runtime does; say which clients are here. */
function findModules() {
  const folders = process.env.NODE_PATH.split(path.delimiter).filter((each) =>
    each.endsWith("node_modules"),
  );
  registerHooks({
    resolve(specifier, context, next) {
      const missing = attempt(() => next(specifier, context));
      if (missing.error === undefined) {
        return missing.found;
      }
      const isBare = /^(@[^/]+\/)?[\w-]/.test(specifier) && !URL.canParse(specifier);
      if (!isBare || !/MODULE_NOT_FOUND$/.test(missing.error.code)) {
        throw missing.error;
      }
      for (const folder of context.conditions.includes("import") ? folders : []) {
        const parentURL = pathToFileURL(path.join(folder, "..", "_")).href;
        const tried = attempt(() => next(specifier, { ...context, parentURL }));
        if (tried.error === undefined) {
          return tried.found;
        }
      }
      if (/^(@aws-sdk\/|aws-sdk(\/|$))/.test(specifier)) {
        missing.error.message += `\n${clientsHere()}`;
      }
      throw missing.error;
    },
  });
}

function attempt(run) {
  try {
    return { found: run() };
  } catch (error) {
    return { error };
  }
}

function clientsHere() {
  const folder = path.join(process.env.LAMBDA_RUNTIME_DIR, "node_modules", "@aws-sdk");
  const here = fs.existsSync(folder)
    ? fs.readdirSync(folder).filter((name) => /^(client|lib)-/.test(name))
    : [];
  return (
    "of the AWS SDK for JavaScript the local AWS found " +
    `${here.map((name) => `@aws-sdk/${name}`).join(", ") || "nothing"}; bring the module in the ` +
    "function's zip, or install it with npm in the folder where the local AWS is started"
  );
}

/** Addresses for answers are https on AWS, and handlers take their host and path alone. */
function reachCallbacks(endpoint) {
  const isOurs = (host, port) =>
    [endpoint.hostname, "localhost"].includes(host) && [443, Number(endpoint.port)].includes(port);
  for (const name of ["request", "get"]) {
    const original = https[name];
    https[name] = (...given) => {
      const url = typeof given[0] === "string" || given[0] instanceof URL ? new URL(given[0]) : null;
      const options = (url === null ? given[0] : given[1]) ?? {};
      const callback = given.find((each) => typeof each === "function");
      const host = options.hostname ?? options.host ?? url?.hostname;
      if (!isOurs(host, Number(options.port || url?.port || 443))) {
        return original(...given);
      }
      const whole = {
        ...(url === null ? {} : { path: `${url.pathname}${url.search}` }),
        ...(typeof options === "function" ? {} : options),
        ...{ protocol: "http:", host, hostname: host, port: endpoint.port, agent: undefined },
      };
      return http[name](whole, callback);
    };
  }
  syncBuiltinESMExports();
}

function streamifyResponse(handler) {
  handler[STREAMING] = true;
  return handler;
}

/** A stream that begins with an HTTP answer's status and headers. */
function withPrelude(stream, metadata) {
  stream.setContentType(PRELUDE);
  stream.write(JSON.stringify(metadata));
  stream.write(Buffer.alloc(8));
  return stream;
}

/** Lines of the console as AWS's runtime writes them; a message stays one line. */
function logAsAws() {
  const levels = { log: "INFO", info: "INFO", debug: "DEBUG", warn: "WARN", error: "ERROR" };
  const write = (level, message) =>
    process.stdout.write(
      `${new Date().toISOString()}\t${current?.id}\t${level}\t${message.replaceAll("\n", "\r")}\n`,
    );
  for (const [name, level] of Object.entries(levels)) {
    console[name] = (...given) => write(level, format(...given));
  }
  console.trace = (...given) => write("TRACE", new RuntimeError("Trace", format(...given)).stack);
}

/** What the local AWS answers of an error. */
function described(error) {
  if (types.isNativeError(error) || error?.message !== undefined) {
    const trace = String(error.stack ?? "").split("\n");
    return { errorType: error.name, errorMessage: error.message, trace };
  }
  return { errorType: typeof error, errorMessage: String(error), trace: [] };
}

/** What the log says of an error: all that it carries. */
function told(error) {
  const known = described(error);
  const more = typeof error === "object" && error !== null ? { ...error } : {};
  delete more.name;
  const reason = more.reason instanceof Error ? { reason: JSON.parse(told(more.reason)) } : {};
  const { trace: stack, ...said } = known;
  const whole = { ...said, ...more, ...reason, stack };
  return `\t${attempt(() => JSON.stringify(whole)).found ?? JSON.stringify({ ...said, stack })}`;
}

/** Answer with an error of which nothing recovers, and end. */
function endWith(what, error, status) {
  console.error(what, told(error));
  answer("fatal", described(error));
  process.exit(status);
}

function answer(status, body) {
  let line = Buffer.from(`${JSON.stringify({ status, body })}\n`);
  while (line.length > 0) {
    line = line.subarray(fs.writeSync(ANSWERS, line));
  }
}

await main();
